// HTML that escapes every hole by construction, JSON and scripts for a page.

/** HTML that only the tag below makes, and so is safe wherever it stands between tags. */
export class Markup {
  readonly #html: string;

  private constructor(html: string) {
    this.#html = html;
  }

  /** Texts and numbers are escaped, for attributes too; HTML stays; of lists each item goes on a line. */
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

/** Text as it may stand between tags and in attributes. */
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

/** JSON that can't end the script element that it stands in. */
export function jsonInPage(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** JavaScript that can't either, as the browser reads it. */
export function scriptInPage(code: string): string {
  return code.replace(/\r\n?/g, "\n").replace(/<\/script/gi, (end) => `<\\${end.slice(1)}`);
}
