import { describe, expect, test } from "bun:test";
import type { ConfigWarning } from "@session-runtime/opencode/config/warning";
import type { EmbeddingFault } from "@session-runtime/opencode/features/search/embedding-answer";
import { collectFindings, diagnose, toExitCode } from "../../src/doctor/diagnosis.ts";
import type { DatabaseFile } from "../../src/doctor/facts/database.ts";
import type { Facts } from "../../src/doctor/facts/facts.ts";
import type { Hang } from "../../src/doctor/facts/hang.ts";
import type { BadIndex } from "../../src/doctor/facts/search-index.ts";
import { reportText } from "../../src/doctor/report-text.ts";
import { PLAIN } from "../../src/terminal/style.ts";
import { frozenCalls, healthy, ran, SETTINGS } from "./facts.ts";

const NPM = "@session-runtime/opencode";
const OTHER = {
  spec: "opencode-dcp@1.0.0",
  source: "/home/me/.config/opencode",
  options: undefined,
  isOurs: false,
};

function database(changes: Partial<DatabaseFile>, folderMode = 0o700): Facts["database"] {
  const sound = healthy().database;
  if (sound.file === null) throw new Error("The healthy set-up has a database.");
  return { ...sound, folderMode, file: { ...sound.file, ...changes } };
}

function team(changes: object): Facts["team"] {
  const probe = { kind: "usable", version: 1, missing: [] } as const;
  return { kind: "set", shown: "db.example.org/team", privacy: "verified", probe, ...changes };
}

function vectors(fault: EmbeddingFault): Partial<Facts> {
  const answer = { kind: "fault", fault } as const;
  return { vectors: { kind: "set", host: "h", model: "m", unsetVariable: null, answer } };
}

function badIndex(fault: BadIndex["fault"]): Partial<Facts> {
  const path = "/d/runtime.recall.db";
  return { database: { ...healthy().database, badIndex: { path, fault } } };
}

function hang(changes: Partial<Hang>): Partial<Facts> {
  const found: Hang = { at: "loading", waitedMs: 7_000, culprits: [], without: "answers" };
  return { trial: null, hang: { ...found, ...changes } };
}

function ours(...specs: readonly string[]): Partial<Facts> {
  const plugins = specs.map((spec) => ({ spec, source: "/x", options: undefined, isOurs: true }));
  return {
    plugins,
    resolved: {
      kind: "resolved",
      plugins,
      mcpServers: [],
      namesModel: false,
      loading: { kind: "done" },
    },
  };
}

function warned(kind: ConfigWarning["kind"]): Partial<Facts> {
  const warning = { kind, file: "/project/s.json", line: 3, key: "recovery", reason: "no" };
  return { settings: { ...SETTINGS, warnings: [warning] } };
}

/** The second call has another system string than the first. */
function partedCalls() {
  return frozenCalls().map((call, index) => ({ ...call, system: [`${index} o'clock`] }));
}

test("where everything is as it should be, no check finds anything, and it ends with 0", () => {
  const diagnosis = diagnose(healthy());
  expect(collectFindings(diagnosis)).toEqual([]);
  expect(toExitCode(diagnosis)).toBe(0);
  expect(diagnosis.results.every(({ result }) => result.kind !== "found")).toBe(true);
});

/** Each cause: its facts, the code that it must be told by, and the exit code. */
const CAUSES: readonly (readonly [string, Partial<Facts>, string, 0 | 3])[] = [
  [
    "no OpenCode",
    {
      search: { found: null, looked: ["/a"], broken: [], others: [] },
      resolved: null,
      plugins: [],
      trial: null,
    },
    "host-missing",
    3,
  ],
  [
    "an OpenCode that does not run",
    {
      search: {
        found: null,
        looked: [],
        broken: [{ path: "/a", fault: "fails", reason: "it is not a program" }],
        others: [],
      },
    },
    "host-broken",
    3,
  ],
  [
    "a variable that names a file in place of a folder",
    {
      wrongFolders: [
        {
          variable: "XDG_DATA_HOME",
          path: "/f",
          reason: "it is a file, not a folder",
          fault: "no-folder",
        },
      ],
      search: { found: null, looked: ["/a"], broken: [], others: [] },
      resolved: null,
      plugins: [],
      trial: null,
    },
    "folder-variable-wrong",
    3,
  ],
  [
    "an OpenCode that hangs",
    {
      search: {
        found: null,
        looked: [],
        broken: [{ path: "/a", fault: "hangs", reason: "late" }],
        others: [],
      },
      trial: null,
    },
    "host-hangs",
    3,
  ],
  [
    "a variable with a relative path",
    {
      wrongFolders: [
        { variable: "XDG_DATA_HOME", path: "data", reason: "it is relative", fault: "relative" },
      ],
    },
    "folder-variable-relative",
    3,
  ],
  [
    "two OpenCodes on PATH",
    { search: { ...healthy().search, others: ["/opt/opencode"] } },
    "host-twice",
    0,
  ],
  [
    "an OPENCODE_BIN that leads nowhere, with another OpenCode on PATH",
    { env: { OPENCODE_BIN: "/nowhere" } },
    "host-named-unusable",
    0,
  ],
  [
    "a host that does not read its config in time",
    { resolved: { kind: "hung", patienceMs: 7_000 }, plugins: [], trial: null },
    "host-does-not-answer",
    3,
  ],
  ["a host that hangs without plugins", hang({ without: "host" }), "host-does-not-answer", 3],
  ["a plugin that hangs the host", hang({ culprits: ["/p.js"] }), "plugin-hangs", 3],
  ["plugins that hang it together", hang({ at: "prompting" }), "plugins-hang", 3],
  [
    "a list that names our folder, which is gone",
    { gone: [{ file: "/c", path: "/gone", isOurs: true }], trial: ran(frozenCalls(), []) },
    "plugin-gone",
    3,
  ],
  [
    "a list that names another plugin's file, which is gone",
    { gone: [{ file: "/c", path: "/gone.js", isOurs: false }] },
    "other-plugin-gone",
    0,
  ],
  [
    "data that can't be written",
    {
      database: {
        ...healthy().database,
        write: {
          kind: "refused",
          code: "read_only",
          place: "/home/me/.local/share/session-runtime",
          reason: "you don't have permission",
          mode: 0o555,
          isOwn: true,
        },
      },
    },
    "data-not-writable",
    3,
  ],
  ["a data folder for everybody", { database: database({}, 0o777) }, "data-folder-open", 3],
  [
    "an old OpenCode",
    {
      search: {
        found: { path: "/a", version: "1.17.9", answeredInMs: 1 },
        looked: [],
        broken: [],
        others: [],
      },
    },
    "host-too-old",
    3,
  ],
  [
    "a host of the next major version",
    {
      search: {
        found: { path: "/a", version: "3.0.0", answeredInMs: 1 },
        looked: [],
        broken: [],
        others: [],
      },
    },
    "host-too-new",
    3,
  ],
  [
    "a host with which tests of ours fail",
    { testedHosts: [{ version: "1.18.33", verdict: "partly", failing: ["G1: …"] }] },
    "host-not-sound",
    3,
  ],
  [
    "invalid JSON",
    { configFiles: [{ kind: "invalid", path: "/c", reason: "CommaExpected", line: 3, column: 7 }] },
    "config-invalid",
    3,
  ],
  [
    "an unreadable config",
    { configFiles: [{ kind: "unreadable", path: "/c", reason: "EACCES" }] },
    "config-unreadable",
    3,
  ],
  [
    "a config that the host refuses",
    { resolved: { kind: "refused", reason: "why" } },
    "config-refused",
    3,
  ],
  [
    "a file in the list of OpenCode 2",
    {
      search: {
        found: { path: "/usr/bin/opencode", version: "2.3.0", answeredInMs: 400 },
        looked: [],
        broken: [],
        others: [],
      },
      resolved: null,
      plugins: [],
      trial: null,
      written: [{ path: "/c/opencode.json", spec: "/p/a.js", list: "plugins", isFile: true }],
    },
    "plugin-file",
    3,
  ],
  ["a plugin list without the plugin", { ...ours(), written: [] }, "plugin-not-listed", 3],
  ["an entry in a list that does not count", ours(), "plugin-shadowed", 3],
  ["two entries", ours("/a", NPM), "plugin-twice", 3],
  ["OPENCODE_PURE", { env: { OPENCODE_PURE: "1" } }, "host-pure", 3],
  [
    "enabled: false",
    { settings: { ...SETTINGS, isEnabled: false, offBy: "/s:3" }, trial: ran(frozenCalls(), []) },
    "disabled-by-setting",
    0,
  ],
  [
    "a historian's model that OpenCode does not offer",
    {
      models: {
        named: [{ setting: "historian.models", model: "foo/bar" }],
        offered: ["anthropic/haiku"],
      },
    },
    "model-not-offered",
    3,
  ],
  [
    "vectors without a model",
    { vectors: { kind: "set", host: "h", model: "", unsetVariable: null, answer: null } },
    "vectors-no-model",
    3,
  ],
  [
    "vectors whose key's variable is not set",
    { vectors: { kind: "set", host: "h", model: "m", unsetVariable: "KEY", answer: null } },
    "vectors-no-key",
    3,
  ],
  [
    "a dead endpoint for embeddings",
    vectors({ kind: "unreachable", why: "ECONNREFUSED" }),
    "vectors-no-answer",
    3,
  ],
  [
    "an index that SQLite can't read",
    badIndex({ kind: "damaged", problem: "" }),
    "index-damaged",
    3,
  ],
  [
    "a folder in an index's place",
    badIndex({ kind: "taken", occupant: "a folder" }),
    "index-place-taken",
    3,
  ],
  [
    "a database that is none of ours",
    { database: database({ soundness: { state: "database-unopenable", reason: "it is none" } }) },
    "database-unopenable",
    3,
  ],
  [
    "an npm package that OpenCode can't get",
    { ...ours(NPM), trial: ran(frozenCalls(), []), importError: "not fetched" },
    "plugin-not-fetched",
    3,
  ],
  ["a setting that does not fit", warned("wrong"), "setting-invalid", 3],
  ["a setting that a project's file may not have", warned("refused"), "setting-refused", 3],
  ["a setting under its former name", warned("renamed"), "setting-renamed", 3],
  [
    "a schedule of upkeep that names no time",
    {
      settings: {
        ...SETTINGS,
        maintenance: {
          tasks: [{ name: "verify", schedule: "x", scheduleProblem: "no", model: "a/b" }],
          ...{ hasJobsModel: false, isMemoryOn: true },
        },
      },
    },
    "upkeep-schedule",
    3,
  ],
  [
    "tasks of upkeep without a model",
    {
      settings: {
        ...SETTINGS,
        maintenance: {
          tasks: [{ name: "verify", schedule: null, scheduleProblem: null, model: null }],
          ...{ hasJobsModel: false, isMemoryOn: true },
        },
      },
    },
    "upkeep-no-model",
    0,
  ],
  [
    "tasks of upkeep without memory",
    {
      settings: {
        ...SETTINGS,
        maintenance: {
          tasks: [{ name: "verify", schedule: null, scheduleProblem: null, model: null }],
          ...{ hasJobsModel: true, isMemoryOn: false },
        },
      },
    },
    "upkeep-no-memory",
    0,
  ],
  [
    "a host that breaks off",
    { trial: { kind: "failed", fault: "fails", reason: "It ended.", log: "" } },
    "host-fails",
    3,
  ],
  [
    "a plugin that throws",
    { trial: ran(frozenCalls(), []), importError: "error: boom" },
    "plugin-fails",
    3,
  ],
  ["a prompt that changes", { trial: ran(partedCalls()) }, "prompt-not-frozen", 3],
  [
    "a change that is not told",
    {
      trial: ran(
        frozenCalls().map((call) => ({
          ...call,
          messages: call.messages.map(({ role, texts }) => ({ role, texts: texts.slice(0, 1) })),
        })),
      ),
    },
    "change-not-announced",
    3,
  ],
  [
    "another plugin that changes the prompt",
    { trial: ran(partedCalls()), culprits: ["clock@1.0.0"] },
    "rewriter-on-wire",
    3,
  ],
  [
    "another plugin that is known to rewrite",
    { plugins: [...healthy().plugins, OTHER] },
    "rewriter-known",
    3,
  ],
  [
    "an old copy in the host's cache",
    {
      ...ours(NPM),
      packages: [{ folder: "/c", spec: `${NPM}@latest`, version: "0.0.9" }],
    },
    "package-stale",
    3,
  ],
  [
    "an old copy that nothing uses",
    { packages: [{ folder: "/c", spec: `${NPM}@0.0.9`, version: "0.0.9" }] },
    "package-left-over",
    0,
  ],
  [
    "no part in tui.json",
    { ...ours(`${NPM}@0.1.0`), writtenTerminal: [] },
    "terminal-part-missing",
    0,
  ],
  [
    "a damaged database",
    { database: database({ soundness: { state: "database-corrupt", reason: "row 3" } }) },
    "database-damaged",
    3,
  ],
  [
    "a newer database",
    { database: database({ soundness: { state: "database-newer-schema", reason: "" } }) },
    "database-newer",
    3,
  ],
  [
    "an older database",
    { database: database({ soundness: { state: "database-older-schema", reason: "" } }) },
    "database-older",
    0,
  ],
  [
    "a database of a development version",
    { database: database({ soundness: { state: "database-development-schema", reason: "" } }) },
    "database-development",
    0,
  ],
  [
    "a locked database",
    { database: database({ soundness: { state: "database-locked", reason: "" } }) },
    "database-locked",
    3,
  ],
  [
    "a database that others may read",
    { database: database({ mode: 0o644 }, 0o755) },
    "database-open-to-others",
    3,
  ],
  [
    "a team's store whose address can't be read",
    { team: { kind: "unreadable", fault: "other" } },
    "team-store-address",
    3,
  ],
  [
    "a line to the team's store that others can read",
    { team: team({ privacy: "plain" }) },
    "team-store-plain",
    3,
  ],
  [
    "a team's store that is away",
    {
      team: team({
        probe: { kind: "away", fault: "unreachable", problem: "connect ECONNREFUSED" },
      }),
    },
    "team-store-away",
    3,
  ],
  [
    "a team's store that can't encrypt the line",
    { team: team({ probe: { kind: "away", fault: "tls", problem: "no SSL" } }) },
    "team-store-tls",
    3,
  ],
  [
    "a wrong password of the team's store",
    { team: team({ probe: { kind: "away", fault: "login", problem: "wrong (28P01)" } }) },
    "team-store-login",
    3,
  ],
  [
    "a team's store whose database was never created",
    { team: team({ probe: { kind: "away", fault: "database", problem: "none (3D000)" } }) },
    "team-store-no-database",
    3,
  ],
  [
    "a team's store in a PostgreSQL that is too old",
    { team: team({ probe: { kind: "too old", release: "14.9" } }) },
    "team-store-too-old",
    3,
  ],
  [
    "a team's store of an older version",
    { team: team({ probe: { kind: "other version", version: 1, known: 2 } }) },
    "team-store-version",
    3,
  ],
  [
    "an outbox that is stuck though the team's store can be used",
    {
      team: team({}),
      database: database({ outbox: { waiting: 3, missedForMs: 3_600_000, problem: "no" } }),
    },
    "team-store-outbox",
    3,
  ],
  [
    "a team's store without a schema",
    { team: team({ probe: { kind: "empty", mayCreate: true } }) },
    "team-store-empty",
    3,
  ],
  [
    "a team's store without a schema, and a role that can't make it",
    { team: team({ probe: { kind: "empty", mayCreate: false } }) },
    "team-store-empty",
    3,
  ],
  [
    "a team's store of a newer version",
    { team: team({ probe: { kind: "other version", version: 9, known: 1 } }) },
    "team-store-version",
    3,
  ],
  [
    "a team's store without a member's rights",
    { team: team({ probe: { kind: "usable", version: 1, missing: ["UPDATE on item"] } }) },
    "team-store-rights",
    3,
  ],
  [
    "secrets that were stored",
    {
      database: database({
        secrets: new Map([
          ["memory", 2],
          ["change by upkeep", 1],
        ]),
      }),
    },
    "secrets-stored",
    3,
  ],
  ["a large database", { database: database({ sizeBytes: 2 ** 31 }) }, "database-large", 0],
];

describe("DC1: each cause is told by its own code, with what to do", () => {
  for (const [cause, changes, code, exitCode] of CAUSES) {
    test(`${cause}: ${code}`, () => {
      const diagnosis = diagnose(healthy(changes));
      const findings = collectFindings(diagnosis);
      expect(findings.map((finding) => finding.code)).toEqual([code]);
      expect(toExitCode(diagnosis)).toBe(exitCode);
      for (const { what, cause: why, fix } of findings) {
        for (const text of [what, why, fix]) expect(text.trim()).not.toBe("");
        expect(reportText(diagnosis, PLAIN)).toContain(`    Fix:   ${fix}`);
      }
    });
  }
});

test("without a start of OpenCode the report does not say that everything works", () => {
  expect(reportText(diagnose(healthy()), PLAIN)).toContain("Everything works: ");
  expect(reportText(diagnose(healthy({ trial: null })), PLAIN)).toContain("Nothing to fix: ");
});

describe("how findings are worded", () => {
  function findPassedText(id: string, changes: Partial<Facts>): string {
    const found = diagnose(healthy(changes)).results.find(({ check }) => check.id === id);
    return found?.result.kind === "passed" ? found.result.says : "";
  }

  test("plugins are counted as people count", () => {
    const others = ["a.js", "b.js"].map((spec) => ({ ...OTHER, spec }));
    const beside = (count: number) => ({
      plugins: [...healthy().plugins, ...others.slice(0, count)],
    });
    expect(findPassedText("rewriters-by-name", beside(0))).toBe("there is no other plugin");
    expect(findPassedText("rewriters-by-name", beside(1))).toBe("1 other plugin");
    expect(findPassedText("rewriters-by-name", beside(2))).toBe("2 other plugins");
  });

  test("a copy of the plugin without a version is an incomplete copy", () => {
    const packages = [{ folder: "/c", spec: `${NPM}@latest`, version: null }];
    const [stale] = collectFindings(diagnose(healthy({ ...ours(NPM), packages })));
    expect(stale?.what).toBe("OpenCode's copy of the plugin in /c is incomplete.");
    const [leftOver] = collectFindings(diagnose(healthy({ packages })));
    expect(leftOver?.what).toBe("OpenCode's cache holds an unused incomplete copy of the plugin.");
  });

  test("no cause repeats what was found", () => {
    for (const [, changes] of CAUSES) {
      for (const { what, cause } of collectFindings(diagnose(healthy(changes)))) {
        expect(cause).not.toContain(what);
      }
    }
  });
});

test("every code is tried by a test of its cause", async () => {
  const sources = new Bun.Glob("*.ts").scanSync({
    cwd: new URL("../../src/doctor/checks", import.meta.url).pathname,
    absolute: true,
  });
  const texts = await Promise.all([...sources].map((path) => Bun.file(path).text()));
  const codes = texts
    .join("\n")
    .matchAll(
      /"((?:host|config|plugin|disabled|setting|prompt|change|rewriter|package|terminal|database|upkeep|team|model|vectors|index|secrets)-[a-z-]+)"(?=[,\s:;]|$)/gm,
    );
  const known = new Set(CAUSES.map(([, , code]) => code));
  const checkIds = new Set(diagnose(healthy()).results.map(({ check }) => check.id));
  // What the storage calls its states is no code of ours.
  const states = [
    ...["newer", "older", "development"].map((age) => `database-${age}-schema`),
    "database-corrupt",
  ];
  const untried = [...codes]
    .map(([, code]) => String(code))
    .filter((code) => !known.has(code) && !checkIds.has(code) && !states.includes(code));
  // "Unreadable" is what is left when no other word fits: permissions, a folder, another application.
  expect([...new Set(untried)]).toEqual(["database-unreadable"]);
});

test("what is wrong with settings is said file by file, in the order of lines", () => {
  const at = (file: string, line: number) =>
    ({ kind: "wrong", file, line, key: `k${line}`, reason: "no" }) as const;
  const warnings = [at("/b", 7), at("/a", 9), at("/b", 2), at("/a", 1), at("/a", 5)];
  const findings = collectFindings(diagnose(healthy({ settings: { ...SETTINGS, warnings } })));
  expect(findings.map(({ what }) => /"k(\d)" in (\S+):/.exec(what)?.slice(1).join(" "))).toEqual([
    "2 /b",
    "7 /b",
    "1 /a",
    "5 /a",
    "9 /a",
  ]);
});

test("a damaged database says that memories were in it, and how to get them back", () => {
  const soundness = { state: "database-corrupt", reason: "" };
  const [finding] = collectFindings(diagnose(healthy({ database: database({ soundness }) })));
  expect(finding?.fix).toContain("Your memories and notes were in that file.");
  expect(finding?.fix).toContain("memory export memories.md --db ");
  expect(finding?.fix).toContain("memory import memories.md");
});

test("a setting that a project's file may not have is to be moved, by key and both files", () => {
  const [finding] = collectFindings(diagnose(healthy(warned("refused"))));
  expect(finding?.fix).toBe(
    'If you want it, move "recovery" from /project/s.json to /home/me/.config/opencode/session-runtime.jsonc; otherwise remove it.',
  );
  expect(finding?.what).toBe('"recovery" in /project/s.json:3 is ignored.');
});

test("what is switched off is said to be so, with the place, and is no fault", () => {
  const settings = { ...SETTINGS, isEnabled: false, offBy: "/home/me/s.jsonc:3" };
  const diagnosis = diagnose(healthy({ settings, trial: null }));
  const report = reportText(diagnosis, PLAIN);
  expect(report).toContain("· The plugin is turned off by /home/me/s.jsonc:3.");
  expect(report).toContain("Nothing to fix: ");
});

describe("a model that a setting names", () => {
  const named = (model: string, offered: readonly string[] | null) =>
    diagnose(healthy({ models: { named: [{ setting: "jobs.model", model }], offered } }));

  test("is not looked for where OpenCode gave no list, and passes where it is in it", () => {
    expect(collectFindings(named("foo/bar", null))).toEqual([]);
    expect(reportText(named("foo/bar", null), PLAIN)).toContain("gave no list of its models");
    expect(collectFindings(named("a/b", ["a/b"]))).toEqual([]);
  });

  test("of an unknown provider, and of a known one with the name that was probably meant", () => {
    const [unknown] = collectFindings(named("foo/bar", ["anthropic/haiku"]));
    expect(unknown?.what).toStartWith("jobs.model names foo/bar, which OpenCode does not offer");
    expect(unknown?.cause).toBe('No provider "foo" is set up in OpenCode.');
    expect(unknown?.fix).toStartWith("`opencode models` lists");
    const [near] = collectFindings(named("anthropic/hiaku", ["anthropic/haiku"]));
    expect(near?.cause).toContain('provider "anthropic" has no model of that name');
    expect(near?.fix).toStartWith("Did you mean anthropic/haiku? ");
  });
});

test("what an endpoint for embeddings does wrong comes with a fix for that", () => {
  const faults: readonly (readonly [EmbeddingFault, RegExp, RegExp])[] = [
    [
      { kind: "unreachable", why: "ECONNREFUSED" },
      /can't be reached \(ECONNREFUSED\)/,
      /^Start it, or correct vectors\.url/,
    ],
    [{ kind: "timeout" }, /does not answer in time/, /^Start it/],
    [{ kind: "busy", status: 503, waitMs: null }, /answers with 503/, /^Wait/],
    [{ kind: "refused", status: 401 }, /refuses the call \(401\)/, /^Correct the key/],
    [{ kind: "refused", status: 404 }, /\(404\)/, /^Correct vectors\.url.*and vectors\.model/],
    [{ kind: "model", served: "other" }, /with the model other, not m/, /^Correct vectors\.model/],
  ];
  for (const [fault, cause, fix] of faults) {
    const [finding] = collectFindings(diagnose(healthy(vectors(fault))));
    expect(finding?.cause).toMatch(cause);
    expect(finding?.fix).toMatch(fix);
  }
});

describe("a package that npm may not have", () => {
  const unfetched = { ...ours(NPM), trial: ran(frozenCalls(), []), importError: "not fetched" };
  const incomplete = [{ folder: "/c", spec: `${NPM}@latest`, version: null }];

  test("is replaced by the plugin of the clone that the command runs from, and found once", () => {
    const facts = { ...unfetched, packages: incomplete, clonePlugin: "/src/packages/plugin" };
    const found = collectFindings(diagnose(healthy(facts)));
    expect(found.map(({ code }) => code)).toEqual(["plugin-not-fetched"]);
    expect(found[0]?.fix).toBe(
      "`npx session-runtime setup` names the plugin of this clone instead, /src/packages/plugin.",
    );
    expect(found[0]?.repair).toBeUndefined();
  });

  test("without a clone the way to one is said", () => {
    expect(collectFindings(diagnose(healthy(unfetched)))[0]?.fix).toContain(
      "`npm run cli -- setup`",
    );
  });

  test("an old copy of it is not taken away in the hope that npm has it", () => {
    const old = {
      ...ours(NPM),
      packages: [{ folder: "/c", spec: `${NPM}@latest`, version: "0.0.9" }],
    };
    const [stale] = collectFindings(
      diagnose(healthy({ ...old, clonePlugin: "/src/packages/plugin" })),
    );
    expect(stale?.fix).toContain("names the plugin of this clone instead");
    expect(stale?.repair).toBeUndefined();
    expect(collectFindings(diagnose(healthy(old)))[0]?.repair?.kind).toBe("remove-cached-package");
  });
});

test("nobody is told to take a folder of the system's for his own", () => {
  const refused = { kind: "refused", code: "read_only", reason: "no" } as const;
  const write = { ...refused, place: "/etc", mode: 0o755, isOwn: false };
  const at = (chosenBy: "default" | "SESSION_RUNTIME_DB") => {
    const place = { ...healthy().database, path: "/etc/passwd", chosenBy, write };
    return collectFindings(diagnose(healthy({ database: place })))[0]?.fix;
  };
  expect(at("SESSION_RUNTIME_DB")).toBe("Choose a place of your own: change SESSION_RUNTIME_DB.");
  expect(at("default")).toContain("chown");
});
