// Builds HTML that escapes every hole by construction, and embeds JSON and scripts in a page.

/** Holds HTML that only the tag below can make, so it is safe anywhere between tags. */
export class Markup {
  readonly #html: string;

  private constructor(html: string) {
    this.#html = html;
  }

  /**
   * Fills the holes: escapes texts and numbers, also for attributes, keeps HTML, and puts each item of a list on a
   * line.
   */
  static tag(parts: TemplateStringsArray, ...holes: readonly Hole[]): Markup {
    const filled = holes.map((hole, at) => `${written(hole)}${parts[at + 1] ?? ""}`);
    return new Markup(`${parts[0] ?? ""}${filled.join("")}`);
  }

  toString(): string {
    return this.#html;
  }
}

type Hole = string | number | Markup | readonly (string | number | Markup)[];

export const html = Markup.tag;

export const NO_MARKUP = html``;

function written(hole: Hole): string {
  if (hole instanceof Markup) return hole.toString();
  if (typeof hole === "object") return hole.map(written).join("\n");
  return escaped(String(hole));
}

/** Escapes a text for use between tags and in attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Renders JSON that can't end its script element. */
export function jsonInPage(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** Returns JavaScript that can't end its script element, with the line ends that a browser reads. */
export function scriptInPage(code: string): string {
  return code.replace(/\r\n?/g, "\n").replace(/<\/script/gi, (end) => `<\\${end.slice(1)}`);
}
