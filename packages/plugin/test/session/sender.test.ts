import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { type SourceKey, toSourceKey } from "../../src/context/key.ts";
import { emptySnapshot } from "../../src/context/snapshot.ts";
import {
  createUnavailableState,
  type ObservedContext,
  observeState,
} from "../../src/context/system-context.ts";
import { composeSystem, composeText, type SenderDeps } from "../../src/session/sender.ts";
import type { HostText } from "../../src/sources/host-blocks.ts";
import type { LedgerCommit } from "../../src/storage/ledger-store.ts";
import { user } from "../ledger/history.ts";
import { epochRecord, session } from "../storage/records.ts";

const opus = { providerId: "anthropic", modelId: "opus", apiId: "claude", npm: "x" };
const gpt = { providerId: "openai", modelId: "gpt", apiId: "gpt-6", npm: "x" };
const NESTED = toSourceKey("core/nested-instructions/0011223344556677");
const SKILLS = toSourceKey("core/skills");
const messages = [user("u1"), user("u2"), user("u3")];

const blocks = {
  ...{ environment: "<env>\n</env>", references: null, instructions: null, mcp: null },
  skills: "Skill 2.",
};

function present(key: SourceKey, text: string): ObservedContext[number] {
  const definition = {
    ...{ key, schema: z.string(), load: () => text, baseline: (current: string) => current },
    update: (_previous: string, current: string) => current,
  };
  return { key, required: false, state: observeState(definition, key, text) };
}

const facts = {
  ...{ agent: "build", providerId: "anthropic", modelId: "opus", ownSystem: null },
  ...{ structuredNote: "absent", messages, unsentIds: ["u1", "u2", "u3"], rewrite: null },
  ...{ historyIds: ["u1", "u2", "u3"], replaced: { made: [], hidden: [] }, startedAtMs: 5_000 },
};

const first = {
  cause: "first",
  observed: [],
  drafts: [],
  settled: [],
  afterSeq: 0,
  startMessageId: null,
  on: { former: [] },
  former: { epoch: null, snapshot: emptySnapshot, texts: new Map() },
};

/** With the marks by which the host's string is known among others. */
const HOST =
  "\nHere is some useful information about the environment you are running in:\n<env>\n  Working directory: /";

/** A process between the two hooks of a call. */
function stage(pass: object, changes: { split?: "auto" | "never"; memory?: object } = {}) {
  const recorded: object[] = [];
  const commits: LedgerCommit[] = [];
  const sources = {
    expectedInstructions: () => null,
    seen: { recordSighting: () => undefined },
    freezeBlocks: (given: object) => given,
    stated: () => [present(SKILLS, "Skill 2.")],
  };
  const memory = {
    ...{ sessionId: session, pass: { facts, ...pass }, sources, compacting: false },
    ...{ systems: { read: () => ({ preamble: "You help.", blocks, live: null, standIns: {} }) } },
    ...{
      ledger: { epochs: [], entries: [] },
      prepared: [],
      proposals: [],
      lastTurn: null,
      modelSentAtMs: new Map(),
    },
    sent: { epochSeq: null, ids: new Set<string>(), history: [] },
    ...changes.memory,
  };
  const commit = (change: LedgerCommit) => {
    commits.push(change);
    return { kind: "committed" };
  };
  const deps = {
    memories: { peek: () => memory },
    database: () => ({ ledger: { commit } }),
    location: epochRecord(1).location,
    recorder: { record: (turn: object) => recorded.push(turn) },
    settings: { split: changes.split ?? "auto", system: "ours" },
    decided: () => undefined,
    storageFailed: (error: unknown) => {
      throw error;
    },
  } as unknown as SenderDeps;
  const compose = (model = opus, strings: readonly string[] = [HOST]) =>
    composeSystem(deps, { sessionId: session, model, strings });
  const composeIn = (text: HostText) =>
    composeText(deps, { sessionId: session, model: opus, text });
  return { compose, composeIn, recorded, commits, memory };
}

const steady = { kind: "steady", epoch: { ...epochRecord(1), baseline: "Today." } };

describe("the system strings of a call", () => {
  test("are split for a model whose breakpoints the host sets, unless the user says never", () => {
    expect(stage(steady).compose()).toEqual(["You help.", "Today."]);
    expect(stage(steady).compose(gpt)).toEqual(["You help.\nToday."]);
    expect(stage(steady, { split: "never" }).compose()).toEqual(["You help.\nToday."]);
  });
});

describe("a string that another plugin has put in front of the host's", () => {
  const LOGIN = "You are a login.";

  test("stays in front, as it came, and the Baseline behind it is the stored one", () => {
    expect(stage(steady).compose(opus, [LOGIN, HOST, "x"])).toEqual([
      LOGIN,
      "You help.\nToday.",
      "x",
    ]);
    expect(stage(steady).compose(gpt, [LOGIN, HOST])).toEqual([LOGIN, "You help.\nToday."]);
  });

  test("counts as preamble where a bill is explained", () => {
    const { compose, recorded } = stage(steady);
    compose(opus, [LOGIN, HOST]);
    expect(recorded).toMatchObject([{ system: { preamble: `${LOGIN}\nYou help.` } }]);
  });

  test("goes as it is where none of the strings is the host's", () => {
    const strings = [LOGIN, "x"];
    expect(stage(steady).compose(opus, strings)).toBe(strings);
  });
});

describe("a host's text that is handed over in pieces", () => {
  const handed: HostText = {
    preamble: "You are Pi.",
    blocks: { skills: "Skill 2." },
    live: "Now.",
    standIns: {},
  };

  test("is sent in layers, around the stored Baseline", () => {
    const { composeIn, recorded } = stage(steady);
    const layers = { preamble: "You are Pi.", baseline: "Today.", live: "Now." };
    expect(composeIn(handed)).toEqual(layers);
    expect(recorded).toMatchObject([{ system: layers }]);
  });

  test("is frozen at an epoch's start, with our own parts for what it never states", () => {
    const observed = [present(toSourceKey("core/date"), "Today's date: Sat Nov 21 2026")];
    const { composeIn, commits } = stage({ kind: "opening", opening: { ...first, observed } });
    const baseline = "Skill 2.\n\nToday's date: Sat Nov 21 2026";
    expect(composeIn(handed)).toMatchObject({ baseline });
    expect(commits).toMatchObject([{ epoch: { baseline } }]);
  });

  const instructions = toSourceKey("core/instructions");
  const withRules = { ...handed, standIns: { instructions: "Use tabs." } };

  test("states in the host's words what our own source can't state as an epoch begins", () => {
    const observed = [
      { key: instructions, required: false, state: createUnavailableState("the disk is on fire") },
      present(toSourceKey("core/date"), "Today."),
    ];
    const { composeIn, commits } = stage({ kind: "opening", opening: { ...first, observed } });
    const baseline = "Skill 2.\n\nToday.\n\nUse tabs.";
    expect(composeIn(withRules)).toMatchObject({ baseline });
    const [epoch] = commits.map((commit) => commit.epoch);
    expect(epoch?.parts.map(({ key }) => String(key))).toContain("core/instructions");
    // Nothing was observed, so the source announces it once it can.
    expect(Object.keys(epoch?.snapshot ?? {})).not.toContain("core/instructions");
  });

  test("states nothing twice: not what our own source states, nor what was carried over", () => {
    const own = [present(instructions, "Use spaces.")];
    const { composeIn } = stage({ kind: "opening", opening: { ...first, observed: own } });
    expect(composeIn(withRules)).toMatchObject({ baseline: "Skill 2.\n\nUse spaces." });

    const former = {
      epoch: epochRecord(1),
      snapshot: { [instructions]: { hash: "h", json: "{}", removed: null } },
      texts: new Map([[instructions, "Use both."]]),
    };
    const unseen = [{ key: instructions, required: false, state: createUnavailableState("off") }];
    const opening = { ...first, cause: "compacted", observed: unseen, former };
    const { composeIn: composeLater } = stage({ kind: "opening", opening });
    expect(composeLater(withRules)).toMatchObject({ baseline: "Skill 2.\n\nUse both." });
  });

  test("says nothing of what is observed not to be there", () => {
    const definition = { key: instructions, required: false, state: { kind: "absent" } };
    const opening = { ...first, observed: [definition] };
    const { composeIn } = stage({ kind: "opening", opening });
    expect(composeIn(withRules)).toMatchObject({ baseline: "Skill 2." });
  });

  test("goes as the host has it where the history could not be projected", () => {
    expect(stage({ kind: "passthrough" }).composeIn(handed)).toBeNull();
  });

  test("leaves a Baseline of our own parts alone without a break in front of them", () => {
    const observed = [present(toSourceKey("core/date"), "Today.")];
    const { composeIn, commits } = stage({ kind: "opening", opening: { ...first, observed } });
    composeIn({ preamble: null, blocks: {}, live: null, standIns: {} });
    expect(commits).toMatchObject([{ epoch: { baseline: "Today." } }]);
  });
});

describe("a call's turn", () => {
  test("is recorded once, also where the provider's call is tried again", () => {
    const { compose, recorded } = stage(steady);
    compose();
    compose();
    expect(recorded).toHaveLength(1);
  });

  test("has as new what no call of its epoch had sent", () => {
    const sent = { epochSeq: 1, ids: new Set(["u1", "u2"]), history: [] };
    const { compose, recorded, memory } = stage(steady, { memory: { sent } });
    compose();
    expect(recorded).toMatchObject([{ formerEnd: 1, newMessageIds: ["u3"] }]);
    expect(memory.sent).toEqual({
      ...sent,
      ids: new Set(["u1", "u2", "u3"]),
      history: facts.historyIds,
    } as never);
  });

  test("has all as new in another epoch than the last call's", () => {
    const sent = { epochSeq: 7, ids: new Set(["u1", "u2"]), history: [] };
    const { compose, recorded } = stage(steady, { memory: { sent } });
    compose();
    expect(recorded).toMatchObject([{ formerEnd: -1, newMessageIds: ["u1", "u2", "u3"] }]);
  });
});

describe("the Baseline of a new epoch", () => {
  const told = { hash: "0", json: '"old"', removed: null };
  const witness = {
    ...{ origin: "record-shown", anchor: { messageId: "a1", partId: "p1" }, edit: null },
    ...{ proposal: null, announced: [], delta: { [NESTED]: told } },
  };
  const former = (key: SourceKey, text: string) => ({
    epoch: epochRecord(1),
    snapshot: { [key]: told },
    texts: new Map([[key, text]]),
  });

  function composeBaseline(opening: object): string {
    const { compose, commits } = stage({ kind: "opening", opening: { ...first, ...opening } });
    compose();
    return commits[0]?.epoch?.baseline ?? "none";
  }

  test("has what is observed; not what the host has just shown in a result, which stands there", () => {
    const observed = [present(NESTED, "Use tabs.")];
    expect(composeBaseline({ observed })).toContain("Use tabs.");
    expect(composeBaseline({ observed, drafts: [witness] })).not.toContain("Use tabs.");
    const other = { ...witness, delta: {} };
    expect(composeBaseline({ observed, drafts: [other] })).toContain("Use tabs.");
  });

  test("keeps what a former Baseline had, though the host has shown it again", () => {
    const opening = { drafts: [witness], cause: "compacted", former: former(NESTED, "Use tabs.") };
    expect(composeBaseline({ ...opening, observed: [present(NESTED, "Use tabs.")] })).toContain(
      "Use tabs.",
    );
  });

  test("has the host's lists as the host renders them now, also before this process has seen any", () => {
    const observed = [
      { key: SKILLS, required: false, state: createUnavailableState("not seen yet") },
    ];
    const text = composeBaseline({
      observed,
      cause: "compacted",
      former: former(SKILLS, "Skill 1."),
    });
    expect(text).toBe("<env>\n</env>\nSkill 2.");
  });
});
