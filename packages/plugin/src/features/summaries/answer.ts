// Parses the model's answer: the elements of its format, wherever they are in the text.

/** Holds an element as it was written: nothing is checked yet. */
export interface ParsedElement {
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface ParsedSegment {
  readonly attributes: ReadonlyMap<string, string>;
  /** Texts of the tiers by name, `p1` to `p4`. */
  readonly tiers: ReadonlyMap<string, string>;
  readonly events: readonly ParsedElement[];
}

export type ParsedAnswer =
  | {
      readonly kind: "read";
      readonly segments: readonly ParsedSegment[];
      readonly facts: readonly ParsedElement[];
      /** Notes on what was skipped. */
      readonly notes: readonly string[];
    }
  | { readonly kind: "unreadable"; readonly problem: string };

/** A longer answer is not what was asked for, and is not read. */
export const MAX_ANSWER_CHARS = 200_000;

const HISTORY_OPENING_PATTERN = /<history(?:\s[^<>]*)?>/;
const HISTORY_CLOSING = "</history>";

/**
 * Parses without an XML library: models write code into their texts, such as `Array<string>` and `a && b`, for which
 * an XML parser would reject the whole answer. Within a text only the end of its element counts.
 */
export function parseAnswer(answer: string): ParsedAnswer {
  if (answer.length > MAX_ANSWER_CHARS) return toUnreadableAnswer("The answer is too long.");
  const open = HISTORY_OPENING_PATTERN.exec(answer);
  const end = answer.lastIndexOf(HISTORY_CLOSING);
  if (!open) return toUnreadableAnswer("There is no <history> element.");
  const from = open.index + open[0].length;
  if (end < from) return toUnreadableAnswer("The <history> element is not closed.");
  return new AnswerReader(answer.slice(from, end)).read();
}

function toUnreadableAnswer(problem: string): ParsedAnswer {
  return { kind: "unreadable", problem };
}

interface Tag {
  readonly name: string;
  readonly form: "open" | "close" | "empty";
  readonly attributes: ReadonlyMap<string, string>;
}

const TAG_PATTERN = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g;
const ATTRIBUTE_PATTERN = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const TIER_NAMES: ReadonlySet<string> = new Set(["p1", "p2", "p3", "p4"]);
const MAX_NOTES = 20;

const COMMENT_START = "<!--";
const COMMENT_END = "-->";
const CDATA_START = "<![CDATA[";
const CDATA_END = "]]>";
const UNKNOWN_INDEX = -1;

interface OpenSegment {
  readonly attributes: ReadonlyMap<string, string>;
  readonly tiers: Map<string, string>;
  readonly events: ParsedElement[];
}

class AnswerReader {
  #at = 0;
  #problem: string | null = null;
  /** The place where the next comment begins. */
  #comment: number = UNKNOWN_INDEX;
  readonly #missing = new Set<string>();
  readonly #segments: ParsedSegment[] = [];
  readonly #facts: ParsedElement[] = [];
  readonly #notes: string[] = [];

  constructor(private readonly source: string) {}

  read(): ParsedAnswer {
    let open: OpenSegment | null = null;
    for (let tag = this.#readNextTag(); tag; tag = this.#readNextTag()) {
      if (tag.name === "segment") {
        if (tag.form === "open" && open) return toUnreadableAnswer("A <segment> is not closed.");
        if (tag.form === "close" && open) this.#segments.push(open);
        const { attributes } = tag;
        open = tag.form === "open" ? { attributes, tiers: new Map(), events: [] } : null;
      } else if (tag.form === "close") {
        this.#note(`</${tag.name}>`);
      } else if (open && TIER_NAMES.has(tag.name)) {
        open.tiers.set(tag.name, this.#readText(tag));
      } else if (open && tag.name === "event") {
        open.events.push({ attributes: tag.attributes, text: this.#readText(tag) });
      } else if (!open && tag.name === "fact") {
        this.#facts.push({ attributes: tag.attributes, text: this.#readText(tag) });
      } else {
        this.#skip(tag);
      }
      if (this.#problem !== null) return toUnreadableAnswer(this.#problem);
    }
    if (open) return toUnreadableAnswer("A <segment> is not closed.");
    return {
      kind: "read",
      segments: this.#segments,
      facts: this.#facts,
      notes: this.#notes,
    };
  }

  /** Returns the next thing in the source that looks like a tag, without comments. */
  #readNextTag(): Tag | null {
    const match = this.#nextMatch();
    if (!match) return null;
    const [, slash, name = "", attributes = "", empty] = match;
    this.#at = TAG_PATTERN.lastIndex;
    const form = slash ? "close" : empty ? "empty" : "open";
    return { name, form, attributes: parseAttributes(attributes) };
  }

  #nextMatch(): RegExpExecArray | null {
    for (;;) {
      TAG_PATTERN.lastIndex = this.#at;
      const match = TAG_PATTERN.exec(this.source);
      const comment = this.#findComment();
      if (!match || comment < 0 || match.index < comment) return match;
      const end = this.#find(COMMENT_END, comment + COMMENT_START.length);
      // A comment without an end hides nothing.
      if (end < 0) return match;
      this.#at = end + COMMENT_END.length;
    }
  }

  /** Caches the place of the next comment, so that an answer of tags without comments is read in one pass. */
  #findComment(): number {
    if (this.#comment >= 0 && this.#comment < this.#at) this.#comment = UNKNOWN_INDEX;
    if (this.#comment === UNKNOWN_INDEX) {
      const found = this.source.indexOf(COMMENT_START, this.#at);
      this.#comment = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return Number.isFinite(this.#comment) ? this.#comment : -1;
  }

  /**
   * Finds the mark at or after `from`; -1 if there is none. A mark that was not found is never searched for
   * again, so that the answer is read in linear time.
   */
  #find(mark: string, from: number): number {
    if (this.#missing.has(mark)) return -1;
    const found = this.source.indexOf(mark, from);
    if (found < 0) this.#missing.add(mark);
    return found;
  }

  /** Finds where the element ends; a closing tag within a CDATA section doesn't count. */
  #findEnd(name: string): number {
    const close = `</${name}>`;
    let from = this.#at;
    for (;;) {
      const end = this.source.indexOf(close, from);
      if (end < 0) return end;
      const opened = this.source.slice(from, end).lastIndexOf(CDATA_START);
      if (opened < 0) return end;
      const closed = this.#find(CDATA_END, from + opened);
      if (closed < end) return end;
      from = closed;
    }
  }

  /** Reads the text up to the end of its element. */
  #readText({ name, form }: Tag): string {
    if (form === "empty") return "";
    const end = this.#findEnd(name);
    if (end < 0) {
      this.#problem = `A <${name}> is not closed.`;
      return "";
    }
    const raw = this.source.slice(this.#at, end);
    this.#at = end + name.length + 3;
    return unescapeXml(raw);
  }

  /** Skips an element with everything in it. */
  #skip({ name, form }: Tag): void {
    this.#note(`<${name}>`);
    const end = form === "open" ? this.#find(`</${name}>`, this.#at) : -1;
    if (end >= 0) this.#at = end + name.length + 3;
  }

  #note(what: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(`skipped ${what}`);
  }
}

function parseAttributes(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(ATTRIBUTE_PATTERN)].map(([, name = "", double, single]) => [
      name,
      unescapeXml(double ?? single ?? ""),
    ]),
  );
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function unescapeXml(raw: string): string {
  const text = raw.replace(/<!\[CDATA\[((?:(?!<!\[CDATA\[)[\s\S])*?)\]\]>/g, "$1");
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name !== undefined) return NAMED_ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
