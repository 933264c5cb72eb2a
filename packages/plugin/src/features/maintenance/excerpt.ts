// The parts of a file that a question shows, and whether a quote stands in it. Pure.

const AROUND = 2;
const GAP = "[…]";

/** Whole where it fits; else its first lines, and those that hold one of the words. */
export function excerpt(text: string, needles: readonly string[], mostChars: number): string {
  if (text.length <= mostChars) return text;
  const lines = text.split("\n");
  const words = needles.filter((word) => word.length >= 3);
  const hits = lines.map((line) => {
    const lower = line.toLowerCase();
    return words.some((word) => lower.includes(word));
  });
  const isNear = (at: number) =>
    at < AROUND || hits.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(Boolean);
  let [shown, wasNear] = ["", true];
  for (const [at, line] of lines.entries()) {
    const near = isNear(at);
    const next = near ? `${line}\n` : wasNear ? `${GAP}\n` : "";
    if (shown.length + next.length > mostChars) break;
    shown += next;
    wasNear = near;
  }
  return shown;
}

/** A shorter one could stand anywhere. */
const MIN_QUOTE_CHARS = 4;

export function holdsQuote(text: string, quote: string): boolean {
  const wanted = toPlain(quote);
  return wanted.length >= MIN_QUOTE_CHARS && toPlain(text).includes(wanted);
}

function toPlain(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
