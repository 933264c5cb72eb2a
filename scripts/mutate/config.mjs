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
    "config/": 90,
    "context/": 90,
    "features/": 90,
    "git/": 90,
    "history/": 90,
    "hooks/": 90,
    "host/": 90,
    "index/": 90,
    "instance/": 90,
    "jobs/": 90,
    "limits/": 90,
    "log/": 90,
    "options/": 90,
    "policies/": 95,
    "project/": 90,
    "projection/": 95,
    "redaction/": 90,
    "rooms/augment/": 90,
    "rooms/channel/": 90,
    "rooms/commits/": 90,
    "rooms/continuity/": 90,
    "rooms/historian/": 90,
    "rooms/inbox/": 95,
    "rooms/key-files/": 90,
    "rooms/let-go/": 90,
    "rooms/lowering/": 90,
    "rooms/memory/": 90,
    "rooms/nudges/": 90,
    "rooms/profile/": 90,
    "rooms/recall/": 90,
    "rooms/rewrites/": 90,
    "rooms/search-hints/": 90,
    "rooms/smart-notes/": 90,
    "rooms/team/": 90,
    "rooms/time-marks/": 90,
    "rooms/tool-output/": 90,
    "rooms/traces/": 90,
    "rooms/upkeep/": 90,
    "rooms/vectors/": 90,
    "session/": 95,
    "simulation/": 90,
    "sources/": 90,
    "status/": 90,
    "storage/": 90,
    "tui/": 90,
    "v2/": 90,
  },
  /** Node's driver is not loaded under the host's Bun, which has no `node:sqlite`. */
  leftOutSources: ["storage/driver-node.ts"],
  /** Tests that take long: they see a mutant only with `--thorough`. */
  slowTests: [
    "model/",
    "history/plan.test.ts",
    "history/shortest-tail.property.test.ts",
    "rooms/continuity/hostile.test.ts",
    "rooms/inbox/crash.property.test.ts",
    "rooms/inbox/invariants.property.test.ts",
    "rooms/upkeep/night.test.ts",
    "sources/against-host.test.ts",
    "storage/crash.test.ts",
    "v2/facts.test.ts",
    "v2/hostile.test.ts",
    "v2/long-sessions.test.ts",
    "v2/moved.test.ts",
    "v2/relay.test.ts",
    "v2/schedules.test.ts",
  ],
  /** Tests that never see a mutant: they measure time or memory, or look at the sources as text. */
  leftOutTests: [
    "architecture.test.ts",
    "size.test.ts",
    "structure.test.ts",
    "readme.test.ts",
    "session/way.test.ts",
    "requirements.test.ts",
    "coverage/",
    "projection/large.test.ts",
    "redaction/large.test.ts",
    "sources/glob-cost.test.ts",
    "rooms/tool-output/large.test.ts",
    "rooms/continuity/large.test.ts",
    // It runs facts.test.ts in a process of its own, without mutants.
    "v2/stand-in-server.test.ts",
  ],
  /**
   * StringLiteral: most of our strings are the words of closed unions, where `""` doesn't compile, or
   * texts, which golden files hold; what is left is noise.
   */
  leftOutMutators: ["StringLiteral"],
};
