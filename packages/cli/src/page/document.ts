// Renders a page of HTML that fetches nothing; the demo uses it, too.
// Folder: HTML pages that fetch nothing.
import { createHash } from "node:crypto";
import { html, jsonInPage, type Markup, scriptInPage } from "./markup.ts";
import base from "./page.css" with { type: "text" };

interface PageContent {
  readonly title: string;
  /** The page's own CSS, beyond that of all pages. */
  readonly style: string;
  /** The content of `main`. */
  readonly body: Markup;
  /** The page's script and data; null for a page without a script. */
  readonly program: Program | null;
}

interface Program {
  /** The value that `script` finds as JSON in the element with this id. */
  readonly data: { readonly id: string; readonly value: unknown };
  /** A classic script that runs once the whole page is parsed. */
  readonly script: string;
}

/** Renders one HTML file that fetches nothing, which its content policy makes the browser enforce. */
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

/** Builds the content policy: only the page's own script runs, and nothing is fetched, sent, framed or rebased. */
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
