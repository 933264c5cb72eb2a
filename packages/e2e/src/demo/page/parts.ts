// What both sections of the page are made of.
import { html, type Markup } from "../../../../cli/src/page/markup.ts";

export function chart(id: string, caption: string): Markup {
  return html`<figure><figcaption>${caption}</figcaption>
<div class="chart"><canvas id="${id}" role="img" aria-label="${caption}: the table below has the figures"></canvas></div>
</figure>`;
}

export function status(text: string | null): Markup {
  return text === null ? html`<p class="dim">There was no report.</p>` : html`<pre>${text}</pre>`;
}
