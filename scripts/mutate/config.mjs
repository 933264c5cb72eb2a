// What `npm run mutate` looks at, and how much of it the tests have to notice.
// Folder: Mutation testing: breaks the sources one place at a time and looks whether a test notices.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../install.mjs";

const SOURCES = "packages/plugin/src";

/** Every folder has this bar, a new one too, unless it has a higher one. */
const BAR = 90;
const HIGHER_BARS = { "ledger/": 95, "features/inbox/": 95, "session/": 95 };

/** Paths are relative to `sources` and `tests`. One that ends in "/" is a folder. */
export const config = {
  sources: SOURCES,
  tests: "packages/plugin/test",
  tsconfig: "tsconfig.json",
  /** By folder, the per cent of the mutants that the tests have to notice. Unless the command names something, all run, which takes hours. */
  bars: Object.fromEntries(foldersIn(SOURCES).map((name) => [name, HIGHER_BARS[name] ?? BAR])),
  /** Node's driver is not loaded under the host's Bun, which has no `node:sqlite`. */
  leftOutSources: ["storage/driver-node.ts"],
  /** Tests that take long: they see a mutant only with `--thorough`. */
  slowTests: [
    "model/",
    "history/kept.property.test.ts",
    "history/message-words.property.test.ts",
    "history/plan.test.ts",
    "history/shortest-tail.property.test.ts",
    "features/compaction/hostile.test.ts",
    "features/inbox/crash.property.test.ts",
    "features/inbox/invariants.property.test.ts",
    "features/maintenance/night.test.ts",
    "sources/against-host.test.ts",
    "storage/crash.test.ts",
    "hooks-v2/facts.test.ts",
    "hooks-v2/hostile.test.ts",
    "hooks-v2/long-sessions.test.ts",
    "hooks-v2/moved.test.ts",
    "hooks-v2/relay.test.ts",
    "hooks-v2/schedules.test.ts",
  ],
  /** Tests that never see a mutant: they measure time or memory, or look at the sources as text. */
  leftOutTests: [
    "architecture.test.ts",
    "fixed-times.test.ts",
    "size.test.ts",
    "structure.test.ts",
    "readme.test.ts",
    "session/way.test.ts",
    "requirements.test.ts",
    "coverage/",
    "ledger/large.test.ts",
    "log/large.test.ts",
    "sources/glob-cost.test.ts",
    "features/tool-output/large.test.ts",
    "features/compaction/large.test.ts",
    // It runs facts.test.ts in a process of its own, without mutants.
    "hooks-v2/stand-in-server.test.ts",
  ],
  /**
   * StringLiteral: most of our strings are the words of closed unions, where `""` doesn't compile, or
   * texts, which golden files hold; what is left is noise.
   */
  leftOutMutators: ["StringLiteral"],
};

/** The folders of sources, those of features each by itself; relative to the sources. */
function foldersIn(sources) {
  const below = (path) =>
    readdirSync(join(root, sources, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${path}${name}/`);
  return below("").flatMap((name) => (name === "features/" ? below(name) : [name]));
}
