// What `npm run mutate` looks at, and how much of it the tests have to notice.
// Folder: Mutation testing: breaks the sources one place at a time and looks whether a test notices.
/** Paths are relative to `sources` and `tests`. One that ends in "/" is a folder. */
export const config = {
  sources: "packages/plugin/src",
  tests: "packages/plugin/test",
  tsconfig: "tsconfig.json",
  /**
   * Per cent of the mutants that the tests have to notice. Every folder has its bar. Unless the command names
   * something, all of these run, which takes hours.
   */
  bars: {
    "augment/": 90,
    "channel/": 90,
    "commits/": 90,
    "config/": 90,
    "context/": 90,
    "continuity/": 90,
    "features/": 90,
    "git/": 90,
    "historian/": 90,
    "history/": 90,
    "hooks/": 90,
    "inbox/": 95,
    "jobs/": 90,
    "key-files/": 90,
    "let-go/": 90,
    "limits/": 90,
    "log/": 90,
    "lowering/": 90,
    "memory/": 90,
    "nudges/": 90,
    "options/": 90,
    "policies/": 95,
    "profile/": 90,
    "projection/": 95,
    "recall/": 90,
    "redaction/": 90,
    "rewrites/": 90,
    "search-hints/": 90,
    "session/": 95,
    "simulation/": 90,
    "smart-notes/": 90,
    "sources/": 90,
    "status/": 90,
    "storage/": 90,
    "team/": 90,
    "time-marks/": 90,
    "tool-output/": 90,
    "traces/": 90,
    "tui/": 90,
    "upkeep/": 90,
    "v2/": 90,
    "vectors/": 90,
  },
  /** Node's driver is not loaded under the host's Bun, which has no `node:sqlite`. */
  leftOutSources: ["storage/driver-node.ts"],
  /** Tests that take long: they see a mutant only with `--thorough`. */
  slowTests: [
    "model/",
    "continuity/hostile.test.ts",
    "inbox/crash.property.test.ts",
    "inbox/reduce.property.test.ts",
    "sources/against-host.test.ts",
    "storage/crash.test.ts",
  ],
  /** Tests that never see a mutant: they measure time or memory, or look at the sources as text. */
  leftOutTests: [
    "architecture.test.ts",
    "size.test.ts",
    "structure.test.ts",
    "readme.test.ts",
    "requirements.test.ts",
    "coverage/",
    "projection/large.test.ts",
    "redaction/large.test.ts",
    "sources/glob-cost.test.ts",
    "tool-output/large.test.ts",
    "continuity/large.test.ts",
  ],
  /**
   * StringLiteral: most of our strings are the words of closed unions, where `""` doesn't compile, or
   * texts, which golden files hold; what is left is noise.
   */
  leftOutMutators: ["StringLiteral"],
};
