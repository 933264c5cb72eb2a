// A page of HTML that fetches nothing; the demo's too.
// Folder: HTML pages that fetch nothing.
import { createHash } from "node:crypto";
import { html, jsonInPage, type Markup, scriptInPage } from "./markup.ts";
import base from "./page.css" with { type: "text" };

interface PageContent {
  readonly title: string;
  /** CSS beyond the one that all pages have. */
  readonly style: string;
  /** In `main`. */
  readonly body: Markup;
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
  const script = program === null ? null : scriptInPage(program.script);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(script)}">
${html`<title>${title}</title>`}
<style>${base}${style}</style>
</head>
<body>
<main>
${body}
</main>
${program === null ? "" : renderProgram(program.data, script ?? "")}</body>
</html>
`;
}

function renderProgram(data: Program["data"], script: string): string {
  return `<script type="application/json" id="${data.id}">${jsonInPage(data.value)}</script>
<script>${script}</script>
`;
}

/** No script runs but the page's own, and nothing is fetched, sent, framed or given another base. */
function contentPolicy(script: string | null): string {
  const hash = createHash("sha256")
    .update(script ?? "")
    .digest("base64");
  return [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src ${script === null ? "'none'" : `'sha256-${hash}'`}`,
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
}
