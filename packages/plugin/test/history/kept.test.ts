import { describe, expect, test } from "bun:test";
import { buildKeepRules } from "../../src/features/history/history-settings.ts";
import { collectKeptIds, KEEP_PROPOSAL, parseKeepRecord } from "../../src/history/kept.ts";
import { planFree } from "../../src/history/plan.ts";
import { createHistoryPolicy, FOLD_NOW } from "../../src/history/policy.ts";
import type { HistorySettings } from "../../src/history/settings.ts";
import { type HostPart, isText, isTool } from "../../src/ledger/message.ts";
import type { Proposal } from "../../src/ledger/policy.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { output, ran, read, SimulatedSession, said, settings } from "./simulation.ts";

const NO_TAIL: HistorySettings = { ...settings, keepTokens: 0 };
const command = { kind: "command" } as const;
const FOLD: Proposal = { id: 99, kind: FOLD_NOW, urgency: "command", output: { before: null } };

function keeping(hold: "kept" | "free", ...partIds: readonly string[]): Proposal {
  return { id: 7, kind: KEEP_PROPOSAL, urgency: "command", output: { partIds, hold } };
}

/** Turns with three results each, and the newest prompt. */
function talked(turns: number, policy = createHistoryPolicy(NO_TAIL)): SimulatedSession {
  const session = new SimulatedSession(168_000, policy);
  for (let turn = 0; turn < turns; turn++) {
    session.prompt(`Do ${turn}.`);
    for (const step of ["look", "change", "check"]) {
      const name = `${step} ${turn}`;
      session.call(said(`I ${name}.`), ran(name, output(name, 4_000)));
    }
    session.call(said(`Did ${turn}.`));
  }
  session.prompt("And now?");
  return session;
}

function calls(session: SimulatedSession): readonly HostPart[] {
  return session.messages.flatMap(({ parts }) => parts.filter(isTool));
}

/** The id of the result of a command. */
function findResultId(session: SimulatedSession, name: string): string {
  const part = calls(session).find((call) => JSON.stringify(call).includes(`"command":"${name}"`));
  if (!part) throw new Error(`no ${name}`);
  return part.id;
}

function resultMessageId(session: SimulatedSession, name: string): string {
  const id = findResultId(session, name);
  return session.messages.find(({ parts }) => parts.some((part) => part.id === id))?.info.id ?? "";
}

/** What boundaries of the user's do with this before the next call. */
function asked(session: SimulatedSession, ...proposals: readonly Proposal[]): void {
  session.proposals = proposals;
  session.send(command);
  session.proposals = [];
}

/** The parts that are sent as the host has them. */
function shown(session: SimulatedSession): readonly string[] {
  const own = new Set(calls(session));
  return session.sent.flatMap(({ parts }) =>
    parts.filter((part) => own.has(part)).map(({ id }) => id),
  );
}

function records(session: SimulatedSession): readonly string[] {
  return session.sent.flatMap(({ parts }) =>
    parts.filter(isText).flatMap(({ text }) => (text.includes("<session-history>") ? [text] : [])),
  );
}

const listRoles = (session: SimulatedSession) =>
  session.sent.map(({ info }) => info.role).join(" ");

describe("what is kept by its ref", () => {
  test("survives a fold: call and result stand, the work around them has records", () => {
    const session = talked(4);
    const id = findResultId(session, "change 1");
    asked(session, keeping("kept", id), FOLD);
    expect(shown(session)).toEqual([id]);
    expect(records(session)).toHaveLength(5);
    expect(listRoles(session)).toBe(
      "user assistant user assistant assistant user assistant user assistant user",
    );
  });

  test("the record of what came after it in its turn stands at the prompt and says so", () => {
    const session = talked(4);
    asked(session, keeping("kept", findResultId(session, "change 1")), FOLD);
    const prompt = session.sent.find(({ parts }) =>
      parts.some((part) => isText(part) && part.text === "Do 1."),
    );
    const texts = prompt?.parts.filter(isText).map(({ text }) => text) ?? [];
    expect(texts).toHaveLength(3);
    const refs = ["look 1", "check 1"].map((name) =>
      deriveRef("h", resultMessageId(session, name)),
    );
    expect(texts[1]).toContain(`[${refs[0]} · 1 message`);
    expect(texts[2]).toContain(`[${refs[1]} · 1 message`);
    expect(texts[1]).not.toContain("After the call");
    expect(texts[2]).toMatch(/After the call that stands below as it was \(r:[0-9a-z]{6}\):/);
  });

  test("comes back out of a fold at the next boundary, which folds the rest again and nothing else", () => {
    const session = talked(4);
    asked(session, FOLD);
    expect(shown(session)).toEqual([]);
    session.call(said("Yes."));
    session.prompt("Go on.");
    session.call(said("More."), ran("more", output("more", 9_000)));
    session.prompt("And then?");
    const id = findResultId(session, "check 2");
    asked(session, keeping("kept", id));
    expect(shown(session)).toEqual([id, findResultId(session, "more")]);
    expect(records(session)).toHaveLength(4);
  });

  test("comes back in place of its stub, and no later rewrite takes it", () => {
    const session = talked(4, createHistoryPolicy({ ...NO_TAIL, rewrite: "pressure" }));
    const id = findResultId(session, "look 0");
    const [message] = session.messages.filter(({ parts }) => parts.some((part) => part.id === id));
    session.commit([
      { verb: "replace", at: { messageId: message?.info.id ?? "", partId: id }, text: "[gone]" },
    ]);
    asked(session, keeping("kept", id));
    expect(shown(session)).toContain(id);
    for (let round = 0; round < 3; round++) {
      session.call(said("Yes."));
      session.prompt("And?");
      asked(session, FOLD);
      expect(shown(session)).toContain(id);
    }
  });

  test("waits where the cache is warm, and meanwhile nothing takes it", () => {
    const session = talked(8, createHistoryPolicy({ ...NO_TAIL, rewrite: "pressure" }));
    const id = findResultId(session, "change 1");
    session.proposals = [{ ...keeping("kept", id), urgency: "waits" }];
    session.send();
    expect(session.entries).toEqual([]);
    expect(session.view().kept).toEqual(new Set([id]));
    session.send({ kind: "idle", idleMs: 1e9 });
    expect(session.entries.map(({ edit }) => edit?.verb)).toEqual(["restore"]);
  });

  test("may go again once it is released", () => {
    const session = talked(4);
    const id = findResultId(session, "change 1");
    asked(session, keeping("kept", id), FOLD);
    session.call(said("Yes."));
    session.prompt("And?");
    asked(session, keeping("free", id));
    expect(shown(session)).toContain(id);
    expect(collectKeptIds({ standing: session.entries, proposals: [] })).toEqual(new Set());
    asked(session, FOLD);
    expect(shown(session)).toEqual([]);
  });

  test("an undo of its message takes it along, and one of later messages doesn't", () => {
    const session = talked(4);
    const id = findResultId(session, "change 1");
    asked(session, keeping("kept", id), FOLD);
    session.messages.splice(-6);
    session.commit([]);
    expect(collectKeptIds({ standing: session.entries, proposals: [] })).toEqual(new Set([id]));
    session.messages.splice(4);
    session.commit([]);
    expect(collectKeptIds({ standing: session.entries, proposals: [] })).toEqual(new Set());
  });

  test("what a fork inherits is kept from its first call on", () => {
    const session = talked(4);
    const id = findResultId(session, "change 1");
    const policy = createHistoryPolicy(NO_TAIL, undefined, () => [id]);
    const fresh = { ...session.view({ kind: "first" }), watermark: null };
    const drafts = policy.draft(fresh);
    session.commit(drafts.flatMap(({ edit }) => edit ?? []));
    session.send();
    expect(shown(session)).toContain(id);
    // Later nothing is asked for: the ledger has it.
    const later = policy.draft({ ...session.view({ kind: "first" }), watermark: null });
    expect(later.map(({ edit }) => edit?.verb)).not.toContain("restore");
  });

  test("another version's proposal, and another kind, keeps nothing", () => {
    const stored = (kind: string, output: unknown) => parseKeepRecord({ kind, output });
    expect(stored(KEEP_PROPOSAL, { partIds: ["p"], hold: "kept" })).toEqual({
      partIds: ["p"],
      hold: "kept",
    });
    expect(stored(KEEP_PROPOSAL, { partIds: "p" })).toBeNull();
    expect(stored("let-go", { partIds: ["p"], hold: "kept" })).toBeNull();
  });
});

describe("what the settings keep", () => {
  const withRules = (...keep: readonly string[]): HistorySettings => ({
    ...NO_TAIL,
    keep: buildKeepRules(keep),
  });

  function reading(): SimulatedSession {
    const session = new SimulatedSession(168_000, null);
    for (let turn = 0; turn < 3; turn++) {
      session.prompt(`Do ${turn}.`);
      session.call(read("/project/docs/plan.md", output(`plan ${turn}`, 4_000)));
      session.call(read(`/project/src/deep/${turn}.sql`, output(`sql ${turn}`, 4_000)));
      session.call(ran(`run ${turn}`, output(`run ${turn}`, 4_000)));
      session.call(ran(`cat src/${turn}.ts`, output(`cat ${turn}`, 4_000)));
      session.call(said(`Did ${turn}.`));
    }
    session.prompt("And now?");
    return session;
  }

  function keptBy(...keep: readonly string[]): readonly string[] {
    const session = reading();
    const plan = planFree(session.view(), withRules(...keep), "asked");
    session.commit([...(plan?.drops ?? []), ...(plan?.folds ?? [])]);
    session.send();
    return session.sent.flatMap(({ parts }) =>
      parts.filter(isTool).flatMap((part) => {
        const said = JSON.stringify(part.state);
        const whole = calls(session).includes(part);
        return whole ? [/"(?:filePath|command)":"([^"]+)"/.exec(said)?.[1] ?? ""] : [];
      }),
    );
  }

  test("without one all goes; by a tool's name and by its shape its results stay", () => {
    expect(keptBy()).toEqual([]);
    expect(keptBy("bash")).toHaveLength(6);
    expect(new Set(keptBy("re?d"))).toEqual(
      new Set(["/project/docs/plan.md", ...[0, 1, 2].map((n) => `/project/src/deep/${n}.sql`)]),
    );
  });

  test("by a glob a file stays, whether a tool or a command read it", () => {
    expect(new Set(keptBy("docs/*.md"))).toEqual(new Set(["/project/docs/plan.md"]));
    expect(keptBy("*.md")).toEqual([]);
    expect(keptBy("**/{0,2}.sql")).toEqual(["/project/src/deep/0.sql", "/project/src/deep/2.sql"]);
    expect(keptBy("./src/*.ts")).toEqual(["cat src/0.ts", "cat src/1.ts", "cat src/2.ts"]);
    expect(keptBy("src/**")).toHaveLength(6);
    expect(keptBy("/project/docs/plan.md")).toEqual([]);
  });
});
