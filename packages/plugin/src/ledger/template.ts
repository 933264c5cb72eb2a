// What a user typed of a prompt that a template was filled in for: the words in its holes.

/** Arguments, by place or all of them; what a shell has printed was not typed. */
const HOLE = /(\$(?:ARGUMENTS|@|\d+)|\$\{(?:ARGUMENTS|@|\d+)(?::[^}]*)?\})|!`[^`]+`/g;

/** A hole with so many of a template's own words in a row has them from there. */
const FEW_WORDS = 3;

/**
 * The words in its holes, a paragraph each; null: the text is none that this template makes. A host puts
 * arguments that have no hole after the template's end.
 */
export function typedIn(text: string, template: string): string | null {
  const whole = template.trim();
  const holes = [...whole.matchAll(HOLE)];
  const pieces = [0, ...holes.map((hole) => hole.index + hole[0].length)].map((start, at) =>
    whole.slice(start, holes[at]?.index).trim(),
  );
  const filled = fillings(text.trim(), pieces);
  if (!filled) return null;
  const own = pieces.filter((piece) => piece.split(/\s+/).length >= FEW_WORDS);
  return filled
    .filter((_, at) => at === holes.length || holes[at]?.[1] !== undefined)
    .filter((words) => words !== "" && !own.some((piece) => words.includes(piece)))
    .join("\n\n");
}

/** What stands between the pieces, and after the last one. */
function fillings(text: string, pieces: readonly string[]): readonly string[] | null {
  const filled: string[] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const isOpenEnd = piece === "" && index === pieces.length - 1;
    const found = isOpenEnd ? text.length : text.indexOf(piece, at);
    if (found === -1 || (index === 0 && found > 0)) return null;
    if (index > 0) filled.push(text.slice(at, found).trim());
    at = found + piece.length;
  }
  return [...filled, text.slice(at).trim()];
}
