// Makes text of others inert: it can't open or close a frame, nor begin a line as one of ours.
import { FRAMES, type Frame, HOST_FRAMES, LABELS } from "./frames.ts";
import { wellFormed } from "./rendering.ts";

/** All that a reader may take for the end of a line: control characters but the tab, and two more. */
const BREAKS = /(?:[^\P{Cc}\t]|[\u2028\u2029])+/gu;

/** `<`, and what looks like it; `‹` is how a brief spells it. */
const OPENERS = /[<＜﹤˂ᐸ❮〈⟨]/g;

/** So far a tag's name is looked for, in UTF-16 units. */
const TAG_CHARS = 120;

const SLASHES = "/⁄∕⧸";
const ANY_FRAME = tagOf(`[ ${SLASHES}\\\\]*`, [...FRAMES, ...HOST_FRAMES]);

/** Every frame in the text is spelled so that it means nothing. Idempotent. */
export function inert(text: string): string {
  return withTags(wellFormed(text), ANY_FRAME, () => "&lt;");
}

/** A text of others' as one line, its spaces as they are. */
export function oneLine(text: string): string {
  return inert(text.replace(BREAKS, " "));
}

/** A text of others' in a line of ours. */
export function inLine(text: string): string {
  return oneLine(text).trim();
}

const MARK = "> ";

/** A text of others' in lines of its own: each is marked, so that none passes for one of ours. */
export function quotation(text: string): string {
  const lines = text
    .split(BREAKS)
    .map(inLine)
    .filter((line) => line !== "");
  return lines.map((line) => MARK + line).join("\n");
}

/** A line that others may begin as they like: marked where it would begin as one of ours. */
export function unlabelled(line: string): string {
  const said = inLine(line);
  return LABELLED.test(plain(said.slice(0, TAG_CHARS))) ? MARK + said : said;
}

/** Without what would end a frame that holds all else as it is: a backslash stands in it. */
export function withoutEnd(text: string, frame: Frame): string {
  const end = tagOf(` *[${SLASHES}][ ${SLASHES}]*`, [frame]);
  return withTags(text, end, (opener) => `${opener}\\`);
}

/** With each such tag begun in another way. */
function withTags(text: string, tag: RegExp, begun: (opener: string) => string): string {
  return text.replace(OPENERS, (opener, at: number) =>
    tag.test(plain(text.slice(at + 1, at + 1 + TAG_CHARS))) ? begun(opener) : opener,
  );
}

/** What follows the `<` of a tag of these names, in plain letters. */
function tagOf(before: string, names: readonly string[]): RegExp {
  const spelled = names.map((name) => name.replaceAll("-", "[- ]*"));
  return new RegExp(`^${before}(?:${spelled.join("|")})(?![a-z0-9])`);
}

/** A label or a ref in brackets, whatever stands around it. */
const LABELLED = new RegExp(
  `^[^a-z0-9]*(?:(?:${LABELS.join("|").toLowerCase()}) *[:ː꞉]|[a-z] *: *[0-9a-z]{6}(?![0-9a-z]))`,
);

/** Letters of other scripts that look like Latin ones. */
const LOOK_ALIKES = new Map(
  Object.entries({
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ѕ: "s",
    ј: "j",
    ԁ: "d",
    һ: "h",
    ԛ: "q",
    ԝ: "w",
    к: "k",
    м: "m",
    т: "t",
    п: "n",
    ӏ: "l",
    ѵ: "v",
    α: "a",
    ε: "e",
    ι: "i",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    γ: "y",
    η: "n",
    ɡ: "g",
    ı: "i",
    ɩ: "i",
    ո: "n",
    օ: "o",
    ѡ: "w",
    ʏ: "y",
    ꜱ: "s",
  }),
);

/** Most texts: nothing in them looks like something else. */
const IS_PLAIN = /^[\s!-~]*$/;

/** As a reader sees it: small Latin letters, plain hyphens and spaces, nothing that doesn't show. */
function plain(text: string): string {
  if (IS_PLAIN.test(text)) return text.toLowerCase().replace(/_/g, "-").replace(/\s+/g, " ");
  const bare = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]|(?!\s)\p{Cc}/gu, "")
    .replace(/[\p{Pd}_−]/gu, "-")
    .replace(/\s+/gu, " ");
  return [...bare].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join("");
}
