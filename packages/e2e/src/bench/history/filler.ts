// What fills the outputs of a scripted session: lines of code, logs, tests, tables.
import type { Dice } from "./dice.ts";
import { drawFact } from "./facts.ts";
import type { FactKind } from "./session-script.ts";

export type FillerKind = "code" | "log" | "tests" | "table";

/** So many lines; some are of the form of facts, about something else. */
export function fillerLines(kind: FillerKind, count: number, dice: Dice): string[] {
  return Array.from({ length: count }, (_, line) =>
    line % SIMILAR_EVERY === SIMILAR_EVERY - 1
      ? drawFact(SIMILAR[kind], dice).similar(dice)
      : LINES[kind](dice, line),
  );
}

const SIMILAR_EVERY = 9;

const SIMILAR: Readonly<Record<FillerKind, FactKind>> = {
  code: "file",
  log: "error",
  tests: "output",
  table: "table",
};

const small = (dice: Dice) => dice.from(1, 9_999);

const LINES: Readonly<Record<FillerKind, (dice: Dice, line: number) => string>> = {
  code: (dice, line) =>
    dice.pick([
      `export function ${verb(dice)}${noun(dice)}(input: ${noun(dice)}, limit = ${small(dice)}) {`,
      `  const ${verb(dice)} = input.${verb(dice)}(${small(dice)});`,
      `  if (${verb(dice)}.length > ${small(dice)}) return null;`,
      `  return ${verb(dice)}.map((one) => one.${verb(dice)} * ${small(dice)});`,
      "}",
      `import { ${verb(dice)}${noun(dice)} } from "./${verb(dice)}-${line}.ts";`,
    ]),
  log: (dice, line) =>
    `${clock(line)} ${dice.pick(["INFO ", "DEBUG", "WARN "])} ${verb(dice)}-${dice.from(1, 40)} ${verb(dice)} of ${noun(dice)} ${small(dice)} took ${small(dice)} ms`,
  tests: (dice) =>
    `ok ${verb(dice)}s ${noun(dice)} when ${noun(dice)} is ${verb(dice)}ed [${small(dice)}.0 ms]`,
  table: (dice) =>
    `${`${verb(dice)}-${noun(dice)}-${dice.from(1, 99)}`.padEnd(30)} ${String(small(dice)).padStart(9)} ${String(dice.from(1, 99)).padStart(8)} ${String(dice.from(1, 9)).padStart(8)}.0`,
};

function clock(line: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `2026-03-12T09:${two(Math.floor(line / 60) % 60)}:${two(line % 60)}Z`;
}

const VERBS = [
  ...["settle", "merge", "render", "fetch", "batch", "lock", "drain", "index", "parse", "retry"],
  ...["align", "probe", "clamp", "route", "replay", "mark"],
] as const;
const NOUNS = [
  ...["Ledger", "Invoice", "Cursor", "Shard", "Tenant", "Quota", "Batch", "Window", "Region"],
  ...["Token", "Order", "Mirror", "Digest", "Lease"],
] as const;

const verb = (dice: Dice) => dice.pick(VERBS);
const noun = (dice: Dice) => dice.pick(NOUNS);
