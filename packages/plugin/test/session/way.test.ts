// The way of a message through a call: which files are handed it, and how often each is entered.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createPolicies } from "../../src/ledger/policy-list.ts";
import type { Ways } from "./way/calls.ts";
import type { Stay } from "./way/marks.ts";

const marks = join(import.meta.dir, "way/marks.ts");
const calls = join(import.meta.dir, "way/calls.ts");

const { exitCode, stdout, stderr } = Bun.spawnSync(
  [process.execPath, "run", "--preload", marks, calls],
  { env: { ...process.env, BUN_BE_BUN: "1" } },
);
if (exitCode !== 0) throw new Error(stderr.toString());
const ways: Ways = JSON.parse(stdout.toString());
const kinds = ["opening", "update", "quiet"] as const;

const topFolder = (file: string | null) => file?.split("/")[0];
const filesIn = (stays: readonly Stay[], folder: string) =>
  stays.flatMap(({ file }) => (topFolder(file) === folder ? [file.replace(`${folder}/`, "")] : []));

/** Each drafts edits from a view; what else is in the ledger's folder makes of edits what is sent. */
const POLICIES = [
  ...createPolicies([]).map(({ name }) => name),
  ...["line-at-end", "take-proposals"],
].map((name) => `${name}.ts`);
const isPolicy = (file: string | null) => POLICIES.includes(file?.replace("ledger/", "") ?? "");
const policiesIn = (stays: readonly Stay[]) =>
  stays.flatMap(({ file }) => (isPolicy(file) ? [file] : []));
/** The ledger's files that are entered from the session or by a policy. */
const replayIn = (stays: readonly Stay[]) =>
  filesIn(
    stays.filter(
      ({ from, file }) => !isPolicy(file) && (topFolder(from) !== "ledger" || isPolicy(from)),
    ),
    "ledger",
  );

describe("the way of a message through a call", () => {
  test.each([...kinds])("has at most 12 files of the session's, each entered once: %s", (kind) => {
    const files = filesIn(ways[kind], "session");
    expect(files).toEqual([
      ...["runtime.ts", "projector.ts", "history.ts", "view.ts", "sent-messages.ts"],
      ...["nested-witness.ts", "call-deps.ts", "next-call.ts", "boundary.ts"],
      kind === "opening" ? "opening.ts" : "commit.ts",
      ...["pass.ts", "turn-recorder.ts"],
    ]);
    expect(files.length).toBeLessThanOrEqual(12);
    expect(new Set(files).size).toBe(files.length);
  });

  test("where nothing is decided, enters no file at all twice", () => {
    const files = ways.quiet.map(({ file }) => file);
    expect(new Set(files).size).toBe(files.length);
  });

  test("meets replay once before the decision, and once more with what was decided", () => {
    expect(replayIn(ways.quiet)).toEqual(["entry.ts", "boundary.ts"]);
    const decided = ["entry.ts", "boundary.ts", "admission.ts", "replay.ts"];
    expect(replayIn(ways.update)).toEqual(decided);
    // What an epoch begins with is shown to the policies, too, before it is sent.
    const begun = ["entry.ts", "boundary.ts", "replay.ts", "replay.ts"];
    expect(replayIn(ways.opening)).toEqual(begun);
  });

  test("meets each policy once", () => {
    for (const kind of kinds) {
      const policies = policiesIn(ways[kind]);
      expect(policies.length).toBeGreaterThan(3);
      expect(new Set(policies).size).toBe(policies.length);
    }
  });

  test("leads through these layers alone", () => {
    const layers = kinds.flatMap((kind) => ways[kind].map(({ file }) => topFolder(file)));
    expect([...new Set(layers)].sort()).toEqual(["ledger", "session"]);
  });
});
