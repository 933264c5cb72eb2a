// The command's words.
import { parseArgs } from "node:util";

export const USAGE = `npm run mutate -- [FOLDER|FILE|FILE:LINE|FILE:LINE:COLUMN#N …] [--survivors] [--since REV]
                 [--thorough] [--own] [--sample N [--seed N]] [--workers N] [--config FILE]

  Breaks the sources in one small place at a time and looks whether a test notices. Without a name:
  everything that has a bar (scripts/mutate/config.mjs). A single mutant's tests are shown in full.

  --survivors   only what survived in the last report; the rest counts as it did there
  --since REV   only files that differ from this revision
  --thorough    slow tests too, and all tests for what the others let live, in processes of their own
  --own         only the tests in the sources' own folders, and those that import them
  --sample N    so many mutants, chosen at random: an estimate, with its range, where all take hours
  --seed N      another choice (1)
  --workers N   processes at a time (2)`;

export function readOptions(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      survivors: { type: "boolean", default: false },
      thorough: { type: "boolean", default: false },
      own: { type: "boolean", default: false },
      since: { type: "string" },
      sample: { type: "string" },
      seed: { type: "string", default: "1" },
      workers: { type: "string", default: "2" },
      config: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [workers, seed] = [count(values, "workers"), count(values, "seed")];
  const sample = values.sample === undefined ? null : count(values, "sample");
  return { ...values, workers, seed, sample, words: positionals };
}

function count(values, name) {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} needs a number`);
  return value;
}
