// A page of HTML that fetches nothing; the demo's too.
// Folder: HTML pages that fetch nothing.
import { html, jsonInPage, scriptInPage } from "./escape.ts";
import base from "./page.css" with { type: "text" };

interface PageContent {
  readonly title: string;
  /** CSS beyond the one that all pages have. */
  readonly style: string;
  /** HTML, in `main`. */
  readonly body: string;
  /** Null: the page is read as it is. */
  readonly program: Program | null;
}

interface Program {
  /** What `script` finds as JSON in the element with this id. */
  readonly data: { readonly id: string; readonly value: unknown };
  /** A classic script that runs when all of the page is there. */
  readonly script: string;
}

/** One file of HTML that fetches nothing; the browser itself sees to that. */
export function renderDocument({ title, style, body, program }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${html(title)}</title>
<style>${base}${style}</style>
</head>
<body>
<main>
${body}
</main>
${program === null ? "" : renderProgram(program)}</body>
</html>
`;
}

function renderProgram({ data, script }: Program): string {
  return `<script type="application/json" id="${data.id}">${jsonInPage(data.value)}</script>
<script>${scriptInPage(script)}</script>
`;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
