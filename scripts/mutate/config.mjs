// What `npm run mutate` looks at, and how much of it the tests have to notice.
// Folder: Mutation testing: breaks the sources one place at a time and looks whether a test notices.
/** Paths are relative to `sources` and `tests`. One that ends in "/" is a folder. */
export const config = {
  sources: "packages/plugin/src",
  tests: "packages/plugin/test",
  tsconfig: "tsconfig.json",
  /** Per cent of the mutants that the tests have to notice. Unless the command names something, all of these run. */
  bars: {
    "context/": 90,
    "projection/": 95,
    "policies/": 95,
    "session/": 95,
    "storage/": 90,
    "inbox/": 95,
    "continuity/": 90,
    "tool-output/": 90,
    "sources/": 90,
    "config/trust.ts": 90,
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
