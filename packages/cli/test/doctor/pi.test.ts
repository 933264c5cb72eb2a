import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PI_OLDEST, PI_PINNED } from "../../../../scripts/pi-install.mjs";
import { collectFindings, diagnose, toExitCode } from "../../src/doctor/diagnosis.ts";
import type { Facts } from "../../src/doctor/facts/facts.ts";
import { reportText } from "../../src/doctor/report-text.ts";
import { OLDEST_PI, TESTED_PI } from "../../src/host/pi-versions.ts";
import { PLAIN } from "../../src/terminal/style.ts";
import { withPi } from "../pi-home.ts";
import { healthy } from "./facts.ts";

setDefaultTimeout(600_000);

type Pi = Facts["pi"];

const FOUND: Pi["search"] = {
  found: { path: "/usr/bin/pi", version: PI_PINNED, answeredInMs: 500 },
  looked: ["/usr/bin/pi"],
  broken: [],
  others: [],
};
const ENTRY: Pi["entries"][number] = {
  path: "/home/me/.pi/agent/settings.json",
  scope: "global",
  spec: "/opt/clone/packages/pi",
  state: { kind: "there" },
};
const GOOD: Pi = {
  search: FOUND,
  node: "24.1.0",
  files: [{ path: ENTRY.path, scope: "global", fault: null }],
  ownSettings: "/home/me/.pi/agent/session-runtime.jsonc",
  entries: [ENTRY],
  answer: { kind: "answered", commands: ["ctx-status"], complaints: [] },
};
const MISSING: Pi["search"] = { found: null, looked: ["/a"], broken: [], others: [] };

function having(changes: Partial<Pi>): Partial<Facts> {
  return { pi: { ...GOOD, ...changes } };
}

const CAUSES: readonly (readonly [string, Partial<Facts>, string, 0 | 3])[] = [
  ["settings that list it, and no Pi", having({ search: MISSING }), "pi-missing", 3],
  [
    "PI_BIN that names nothing",
    {
      ...having({ search: MISSING, entries: [], files: [] }),
      env: { HOME: "/home/me", PI_BIN: "/gone" },
    },
    "pi-missing",
    0,
  ],
  [
    "a Pi that does not run",
    having({
      search: { ...MISSING, broken: [{ path: "/a", fault: "fails", reason: "no such CPU" }] },
    }),
    "pi-broken",
    3,
  ],
  ["a Node that is too old", having({ node: "20.12.0", answer: null }), "pi-node-too-old", 3],
  [
    "an older Pi",
    having({ search: { ...FOUND, found: { path: "/p", version: "0.73.1", answeredInMs: 1 } } }),
    "pi-too-old",
    3,
  ],
  [
    "settings with comments",
    having({ files: [{ path: "/s", scope: "global", fault: "it has comments" }] }),
    "pi-settings-invalid",
    3,
  ],
  ["settings that don't list it", having({ entries: [], answer: null }), "pi-not-listed", 0],
  [
    "two entries",
    having({ entries: [ENTRY, { ...ENTRY, spec: "npm:@session-runtime/pi@0.1.0" }] }),
    "pi-listed-twice",
    3,
  ],
  [
    "an entry whose folder is gone",
    having({ entries: [{ ...ENTRY, state: { kind: "gone", place: "/opt/clone/packages/pi" } }] }),
    "pi-extension-gone",
    3,
  ],
  [
    "a clone's extension that is not built",
    having({ entries: [{ ...ENTRY, state: { kind: "not-built", missing: "/opt/x/index.js" } }] }),
    "pi-extension-not-built",
    3,
  ],
  [
    "a Pi that ends at once",
    having({ answer: { kind: "failed", fault: "fails", reason: "it ended with exit code 1" } }),
    "pi-fails",
    3,
  ],
  [
    "an extension that throws",
    having({ answer: { kind: "answered", commands: [], complaints: ["Error: the cable is cut"] } }),
    "pi-extension-fails",
    3,
  ],
];

describe("each cause on Pi is told by its own code, with what to do", () => {
  for (const [name, facts, code, exitCode] of CAUSES) {
    test(`${name}: ${code}`, () => {
      const diagnosis = diagnose(healthy(facts));
      const found = collectFindings(diagnosis);
      expect(found.map((finding) => finding.code)).toEqual([code]);
      expect(toExitCode(diagnosis)).toBe(exitCode);
      expect(found[0]?.cause).toMatch(/\S\.$/);
      expect(found[0]?.fix).not.toBe("");
    });
  }

  test("every code of these checks is tried above", () => {
    const source = readFileSync(join(import.meta.dir, "../../src/doctor/checks/pi.ts"), "utf8");
    const codes = [...source.matchAll(/code: "([a-z-]+)"/g)].map(([, code]) => String(code));
    const tried = new Set(CAUSES.map(([, , code]) => code));
    expect([...new Set(codes)].filter((code) => !tried.has(code))).toEqual([]);
  });
});

test("what doctor calls tested is what the tests run on", () => {
  expect(TESTED_PI).toEqual([PI_OLDEST, PI_PINNED]);
  expect(OLDEST_PI).toBe(PI_OLDEST);
});

test("without Pi no line of the report is about it", () => {
  expect(reportText(diagnose(healthy()), PLAIN)).not.toMatch(/\bPi\b/);
});

test("with Pi each row says what was seen, its sessions in the database among them", () => {
  const { database } = healthy();
  const sessions = { opencode: 12, pi: 3 };
  const file = database.file && { ...database.file, sessions };
  const report = reportText(
    diagnose(healthy({ pi: GOOD, database: { ...database, file } })),
    PLAIN,
  );
  expect(report).toContain(`✔ Pi is installed: ${PI_PINNED} at /usr/bin/pi, on Node 24.1.0`);
  expect(report).toContain(`✔ Pi's version is supported: ${PI_PINNED}, tested`);
  expect(report).toContain("✔ Pi's settings list the extension: /opt/clone/packages/pi (");
  expect(report).toContain("✔ Pi loads the extension: seen in the real Pi");
  expect(report).toContain("✔ The database has Pi's sessions: 3 of Pi, 12 of OpenCode");
});

test("where only Pi is there, OpenCode is not missed, and Pi counts as seen at work", () => {
  const { search } = healthy();
  const facts = healthy({
    pi: GOOD,
    search: { ...search, found: null },
    resolved: null,
    plugins: [],
    trial: null,
    written: [],
    writtenTerminal: [],
  });
  const diagnosis = diagnose(facts);
  expect(collectFindings(diagnosis)).toEqual([]);
  const report = reportText(diagnosis, PLAIN);
  expect(report).toContain("OpenCode is installed: not checked (only Pi is installed)");
  expect(report).toContain("Everything works");
});

test("a project's entry that Pi does not load yet waits for the user's trust", () => {
  const entries = [{ ...ENTRY, scope: "project" as const }];
  const answer = { kind: "answered", commands: [], complaints: [] } as const;
  const diagnosis = diagnose(healthy(having({ entries, answer })));
  expect(collectFindings(diagnosis)).toEqual([]);
  expect(reportText(diagnosis, PLAIN)).toContain("once you trust the project");
});

describe("the facts of a home with Pi", () => {
  const only = (home: { readonly root: string; path(relative: string): string }) => ({
    HOME: home.root,
    PI_BIN: home.path(".fake-bin/pi"),
  });

  test("a set-up by setup is healthy, and its extension is seen to load", async () => {
    const home = withPi("loads");
    await home.run("setup", "--yes", "--no-check", "--no-launcher", "--spec", "./ext");
    const { out, err } = await home.run("doctor", "--json");
    const { checks, findings } = JSON.parse(out);
    expect(
      findings.filter(({ code }: { code: string }) => code.startsWith("pi-")),
      err,
    ).toEqual([]);
    expect(checks).toContainEqual({ id: "pi-loads", result: "passed" });
  });

  test("a comment in the settings, a folder that is gone, and a Pi that lists nothing are seen", async () => {
    const home = withPi("loads");
    const codes = async (text: string) => {
      home.write(".pi/agent/settings.json", text);
      const { out } = await home.runWith(only(home), "doctor", "--json", "--no-live");
      const all: readonly string[] = JSON.parse(out).findings.map(
        ({ code }: { code: string }) => code,
      );
      // What a slow start of OpenCode is taken for is none of this test's.
      return all.filter((code) => code.startsWith("pi-"));
    };
    expect(await codes('{ // mine\n  "packages": [] }')).toContain("pi-settings-invalid");
    expect(await codes('{ "packages": ["/nowhere/session-runtime/packages/pi"] }')).toContain(
      "pi-extension-gone",
    );
    expect(await codes('{ "packages": ["npm:other"] }')).toEqual(["pi-not-listed"]);
  });
});
