// What both sections of the page are made of.
import { html } from "../../../../cli/src/page/escape.ts";

export function chart(id: string, caption: string): string {
  return `<figure><figcaption>${caption}</figcaption>
<div class="chart"><canvas id="${id}" role="img" aria-label="${caption}: the table below has the figures"></canvas></div>
</figure>`;
}

export function status(text: string | null): string {
  return text === null ? '<p class="dim">There was no report.</p>' : `<pre>${html(text)}</pre>`;
}
