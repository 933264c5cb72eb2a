// Texts and queries for the benchmark of recall: this repository's files and those of its packages.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "../../../..");
const FOLDERS = ["packages", "docs", "scripts", "node_modules"];
const TEXTS = /\.(?:ts|tsx|js|mjs|cjs|json|md|yml|css)$/;
const MAX_FILE_BYTES = 2_000_000;

/**
 * Yields `count` pieces of whole lines, each of about `chars` characters. After the last file it starts over, and
 * marks each repeated piece with its round and number, so that no two are alike.
 */
export function* piecesOfText(count: number, chars: number): Generator<string> {
  let made = 0;
  for (let round = 0; made < count; round += 1) {
    for (const file of filesIn(ROOT)) {
      for (const piece of cut(readFileSync(file, "utf8"), chars)) {
        yield round === 0 ? piece : `${piece}\nround ${round}, piece ${made}`;
        made += 1;
        if (made === count) return;
      }
    }
  }
}

function* filesIn(root: string): Generator<string> {
  for (const folder of FOLDERS) yield* filesBelow(join(root, folder));
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile() && TEXTS.test(entry.name) && statSync(path).size < MAX_FILE_BYTES) {
      yield path;
    }
  }
}

function* cut(text: string, chars: number): Generator<string> {
  let piece = "";
  for (const line of text.split("\n")) {
    piece += `${line.slice(0, chars)}\n`;
    if (piece.length >= chars) {
      yield piece;
      piece = "";
    }
  }
}

/** Deterministic. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** What models ask for: some words of a text, an identifier, a piece of one, a question, something that isn't there. */
export function queryFor(text: string, kind: number, random: () => number): string {
  const words = text.match(/[\p{L}\p{N}_$./:-]{3,40}/gu) ?? ["nothing"];
  const at = Math.floor(random() * words.length);
  const word = words[at] ?? "nothing";
  switch (kind % 5) {
    case 0:
      return words.slice(at, at + 3).join(" ");
    case 1:
      return word;
    case 2:
      return word.slice(1, -1);
    case 3:
      return `what does ${word} return, and where is the ${words[(at + 7) % words.length]} set?`;
    default:
      return `zyx${Math.floor(random() * 1e9).toString(36)} ${word.slice(0, 3)}`;
  }
}
