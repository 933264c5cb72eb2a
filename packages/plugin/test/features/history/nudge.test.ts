import { describe, expect, test } from "bun:test";
import { createNudgePolicy } from "../../../src/features/history/nudge.ts";
import type { BoundaryView } from "../../../src/ledger/policy.ts";
import { called } from "../../history/calls.ts";
import { SimulatedSession, settings } from "../../history/simulation.ts";

const WINDOW = 100_000;
const policy = createNudgePolicy(settings);

/** So many calls of a session that nobody rewrites, each with a file of about 1,000 tokens. */
function worked(session: SimulatedSession, calls: number): void {
  for (let call = 0; call < calls; call += 1) {
    const path = `src/f${session.messages.length}.ts`;
    session.call(called("read", { filePath: path }, `${path} `.repeat(400)));
  }
}

function session(usableTokens: number | null = WINDOW): SimulatedSession {
  const made = new SimulatedSession(usableTokens, null);
  made.prompt("Read it all");
  return made;
}

/** All tools of ours are offered. */
const createView = (of: SimulatedSession, kind: BoundaryView["boundary"]): BoundaryView => ({
  ...of.view(kind),
  withheld: new Set(),
});
const ordinary = (of: SimulatedSession): BoundaryView => createView(of, { kind: "ordinary" });

function texts(view: BoundaryView): readonly string[] {
  return policy.draft(view).map(({ edit }) => (edit?.verb === "insert" ? edit.text : "no insert"));
}

/** Each call's nudges, put on record as a boundary does. */
function nudged(of: SimulatedSession, calls: number): readonly number[] {
  const at: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const view = ordinary(of);
    for (const { edit, anchor } of policy.draft(view)) {
      at.push(call);
      const entry = {
        seq: 900 + call,
        origin: policy.name,
        edit,
        announced: [],
        delta: {},
        ...anchor,
      };
      of.entries = [...of.entries, entry];
    }
    worked(of, 1);
  }
  return at;
}

describe("HT1: nudges", () => {
  test("with much to let go and the tool offered, one line stands after everything of the boundary", () => {
    const made = session();
    worked(made, 40);
    const [draft, ...others] = policy.draft(ordinary(made));
    expect(others).toEqual([]);
    expect(draft?.anchor).toEqual({
      messageId: made.messages.at(-1)?.info.id ?? "",
      partId: null,
    });
    expect(texts(ordinary(made))[0]).toMatch(
      /^<system-update>\nAbout \d+,000 tokens of tool results look spent\. Drop .* with ctx_reduce; .*\n<\/system-update>$/,
    );
  });

  test("the line names no look-up that the call lacks", () => {
    const made = session();
    worked(made, 40);
    const view = { ...ordinary(made), withheld: new Set(["ctx_search"]) };
    expect(texts(view)[0]).toMatch(/no longer need with ctx_reduce\.\n/);
  });

  test("at most one per 30 calls", () => {
    const at = nudged(session(), 120);
    expect(at.length).toBeGreaterThan(2);
    const gaps = at.slice(1).map((call, index) => call - (at[index] ?? 0));
    expect(gaps.filter((gap) => gap < 30)).toEqual([]);
  });

  test("after a fold that took the last one, 30 calls have to pass as well", () => {
    const made = session();
    worked(made, 70);
    const ids = made.messages.map(({ info }) => info.id);
    const last = ids.at(-20) ?? "";
    made.commit([{ verb: "fold", first: ids[0] ?? "", last, text: "folded" }]);
    expect(texts(ordinary(made))).toEqual([]);
    worked(made, 20);
    expect(texts(ordinary(made))).toHaveLength(1);
  });

  test("nothing is said where the tool is not offered, where little can go, where history rewrites, where the model has let go", () => {
    const made = session();
    worked(made, 40);
    const view = ordinary(made);
    expect(texts({ ...view, withheld: new Set(["ctx_reduce"]) })).toEqual([]);
    expect(texts({ ...view, withheld: null })).toEqual([]);
    expect(texts(createView(made, { kind: "worth" }))).toEqual([]);
    const letGo = { id: 1, kind: "let-go", urgency: "waits", output: {} } as const;
    expect(texts({ ...view, proposals: [letGo] })).toEqual([]);
    const space = { ...view.space, usableTokens: 2_000_000 };
    expect(texts({ ...view, space })).toEqual([]);
  });

  test("30 calls are enough, 29 are not; an undo's boundary counts as any other", () => {
    const made = session();
    worked(made, 29);
    expect(texts(ordinary(made))).toEqual([]);
    worked(made, 1);
    expect(texts(ordinary(made))).toHaveLength(1);
    expect(texts(createView(made, { kind: "reverted" }))).toHaveLength(1);
  });

  test("the line says about how much, in thousands of tokens", () => {
    const made = session();
    worked(made, 40);
    const [, said] = /About (\d+),000 tokens/.exec(texts(ordinary(made))[0] ?? "") ?? [];
    expect(Number(said)).toBeGreaterThan(15);
    expect(Number(said)).toBeLessThan(60);
  });

  test("another policy's lines and other proposals don't count", () => {
    const made = session();
    worked(made, 40);
    const messageId = made.messages.at(-1)?.info.id ?? "";
    const edit = { verb: "insert", after: { messageId, partId: null }, text: "a mark" } as const;
    const place = { seq: 900, announced: [], delta: {}, messageId, partId: null };
    made.entries = [...made.entries, { ...place, origin: "time-marks", edit }];
    const other = { id: 1, kind: "fold", urgency: "waits", output: {} } as const;
    expect(texts({ ...ordinary(made), proposals: [other] })).toHaveLength(1);
  });

  test("where nobody knows the window, 16,000 tokens count as much", () => {
    const made = session(null);
    worked(made, 40);
    const { space } = ordinary(made);
    expect(space.usableTokens).toBeNull();
    expect(texts(ordinary(made))).toHaveLength(1);
    const little = session(null);
    for (let call = 0; call < 40; call += 1) little.call(called("bash", { command: `${call}` }));
    expect(texts(ordinary(little))).toEqual([]);
  });
});
