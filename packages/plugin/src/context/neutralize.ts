// Makes foreign text inert: it can't open or close a frame, nor begin a line with one of our labels.
import { FRAMES, type Frame, HOST_FRAMES, LABELS } from "./frames.ts";
import { wellFormed } from "./rendering.ts";

/** Matches all that a reader may take for the end of a line: control characters except the tab, and two more. */
const BREAKS = /(?:[^\P{Cc}\t]|[\u2028\u2029])+/gu;

/** Matches `<` and the characters that look like it; `‹` is not one of them, since briefs spell `<` with it. */
const OPENERS = /[<＜﹤˂ᐸ❮〈⟨]/g;

/** Limits the search for a tag's name, in UTF-16 units; characters that don't show are not counted. */
const TAG_CHARS = 120;

const SLASHES = "/⁄∕⧸";
const ANY_FRAME = tagPattern(`[ ${SLASHES}\\\\]*`, [...FRAMES, ...HOST_FRAMES]);

/** Respells every frame in the text so that it means nothing. Idempotent. */
export function neutralize(text: string): string {
  return withTags(wellFormed(text), ANY_FRAME, () => "&lt;");
}

/** Returns foreign text as one line, with its spaces as they are. */
export function oneLine(text: string): string {
  return neutralize(text.replace(BREAKS, " "));
}

/** Returns foreign text, trimmed, for use in one of our lines. */
export function toSingleLine(text: string): string {
  return oneLine(text).trim();
}

const MARK = "> ";

/** Returns foreign text in lines of its own, each marked so that none passes for one of ours. */
export function quotation(text: string): string {
  const lines = text
    .split(BREAKS)
    .map(toSingleLine)
    .filter((line) => line !== "");
  return lines.map((line) => MARK + line).join("\n");
}

/** Returns a line that foreign text may begin, and marks it if it would begin like one of ours. */
export function stripLabel(line: string): string {
  const said = toSingleLine(line);
  return LABELLED.test(neutralizeFrom(said, 0)) ? MARK + said : said;
}

/** Puts a backslash into each tag that would end `frame`, which holds all other text as it is. */
export function withoutEnd(text: string, frame: Frame): string {
  const end = tagPattern(` *[${SLASHES}][ ${SLASHES}]*`, [frame]);
  return withTags(text, end, (opener) => `${opener}\\`);
}

/** Replaces the opening character of each tag that matches. */
function withTags(text: string, tag: RegExp, begun: (opener: string) => string): string {
  return text.replace(OPENERS, (opener, at: number) =>
    tag.test(neutralizeFrom(text, at + 1)) ? begun(opener) : opener,
  );
}

/** Matches what follows the `<` of a tag with one of these names, in plain letters. */
function tagPattern(before: string, names: readonly string[]): RegExp {
  const spelled = names.map((name) => name.replaceAll("-", "[- ]*"));
  return new RegExp(`^${before}(?:${spelled.join("|")})(?![a-z0-9])`);
}

/** Matches a colon and what looks like one: modifier letters, the ratio, dots of other scripts. */
const COLON =
  " *[:\u02d0\u02f8\ua789\u2236\u205a\u2982\u0589\u05c3\u0703\u0704\u1804\u16ec\u1361] *";

/** Matches `1. `, `(b) `, `iv) `, `2.3. `: a label after a list's numbering still counts as a label. */
const NUMBERING = "(?:(?:\\d{1,4}|[a-z]|[ivx]{1,4})[^a-z0-9 ][^a-z0-9]*){0,3}";

/** Matches a line that begins with a label or a ref, with any punctuation around it. */
const LABELLED = new RegExp(
  `^[^a-z0-9]*${NUMBERING}(?:(?:${LABELS.join("|").toLowerCase()})${COLON}|[a-z]${COLON}[0-9a-z]{6}(?![0-9a-z]))`,
);

/** Maps letters of other scripts to the Latin ones that they look like. */
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

/** Matches most texts: those without any look-alike character. */
const IS_PLAIN = /^[\s!-~]*$/;

/** Matches characters that are invisible on the screen or only leave a gap. */
const PADDING = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Cc}\s]+/uy;

/**
 * Returns what a reader sees from there on, in plain letters: padding neither fills the window nor hides a name.
 */
function neutralizeFrom(text: string, from: number): string {
  const near = text.slice(from, from + TAG_CHARS);
  if (IS_PLAIN.test(near) && !/\s\s/.test(near)) return toPlain(near);
  let shown = "";
  for (let at = from; at < text.length && shown.length < TAG_CHARS; ) {
    PADDING.lastIndex = at;
    const [padding] = PADDING.exec(text) ?? [""];
    if (/\s/.test(padding)) shown += " ";
    at += padding.length;
    if (at >= text.length) break;
    const letter = String.fromCodePoint(Number(text.codePointAt(at)));
    shown += letter;
    at += letter.length;
  }
  return toPlain(shown);
}

/** Renders text as a reader sees it: small Latin letters, plain hyphens and spaces, nothing invisible. */
function toPlain(text: string): string {
  if (IS_PLAIN.test(text)) return text.toLowerCase().replace(/_/g, "-").replace(/\s+/g, " ");
  const bare = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]|(?!\s)\p{Cc}/gu, "")
    .replace(/[\p{Pd}_−]/gu, "-")
    .replace(/\s+/gu, " ");
  return [...bare].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join("");
}
