// Which sources each benchmark exercises, and a digest of them: when it differs, what was measured is of other code.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SectionName } from "./targets.ts";

const ROOT = join(import.meta.dir, "../../../..");

const plugin = (...folders: readonly string[]) =>
  folders.map((folder) => `packages/plugin/src/${folder}`);
const bench = (...names: readonly string[]) =>
  names.map((name) => `packages/e2e/src/bench/${name}`);

/** What freezes, announces and replays: nothing is measured without it. */
const KERNEL = plugin("context", "ledger", "session", "sources");
const HISTORY = [...KERNEL, ...plugin("history", "features/history", "features/search")];
const OF_HISTORY = [...HISTORY, ...bench("history")];
const ON_PI = ["packages/pi/src", "packages/e2e/src/pi", ...bench("pi")];
const RECORDED = [...HISTORY, "packages/cli/src/simulation", ...bench("real", "peer.ts")];
/** Where processes begin and end counts, and all that is loaded with them. */
const WHOLE = ["packages/plugin/src"];

/** Files and folders, from the root of the repository. */
export const EXERCISED: Readonly<Record<SectionName, readonly string[]>> = {
  bill: [...HISTORY, ...plugin("hooks"), ...bench("bill.ts")],
  estimate: [
    ...HISTORY,
    "packages/cli/src/simulation",
    "packages/cli/src/estimate",
    ...bench("estimate.ts"),
  ],
  "history-60k": OF_HISTORY,
  "history-200k": OF_HISTORY,
  "history-turn": OF_HISTORY,
  "history-1m": OF_HISTORY,
  "history-small": OF_HISTORY,
  "history-small-full": OF_HISTORY,
  "history-rereading": OF_HISTORY,
  "history-rereading-all": OF_HISTORY,
  "history-hardships": OF_HISTORY,
  "history-historian": [...OF_HISTORY, ...plugin("jobs", "features/summaries")],
  "history-short": OF_HISTORY,
  "history-pass": [...OF_HISTORY, ...plugin("storage")],
  memory: [...KERNEL, ...plugin("features/memory"), ...bench("memory")],
  pass: [...KERNEL, ...plugin("hooks", "storage"), ...bench("pass.ts")],
  pi: [...KERNEL, ...ON_PI],
  "pi-long": [...HISTORY, ...ON_PI],
  "pi-recorded": [...RECORDED, ...ON_PI],
  "pi-pass": [...KERNEL, ...plugin("storage"), ...ON_PI],
  real: RECORDED,
  "real-records": RECORDED,
  recall: [...plugin("search-index", "features/search"), ...bench("recall.ts", "recall-corpus.ts")],
  sessions: [...WHOLE, ...bench("sessions.ts")],
  standing: [...HISTORY, ...bench("standing", "peer.ts")],
  start: [...WHOLE, ...bench("start.ts")],
  store: [...plugin("storage"), ...bench("store.ts", "store-records.ts")],
  tui: [...plugin("status", "tui"), ...bench("tui.ts")],
};

/** A digest of what a benchmark exercises, without comments, as it stands below a root. */
export function sourcesDigest(name: SectionName, root: string = ROOT): string {
  const hash = createHash("sha256");
  for (const path of EXERCISED[name].flatMap((place) => filesAt(root, place)).sort()) {
    hash.update(`${path}\0${stripComments(readFileSync(join(root, path), "utf8"))}\0`);
  }
  return hash.digest("hex").slice(0, 16);
}

function filesAt(root: string, place: string): readonly string[] {
  const found = statSync(join(root, place), { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:tsx?|sql)$/.test(path))
    .map((path) => `${place}/${path}`);
}

/** Lines that are comments or empty change nothing that is measured. */
function stripComments(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:\/\/|\/?\*)/.test(line))
    .join("\n");
}
