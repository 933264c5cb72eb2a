// What each task looks at, what a run says of itself, and what its settings take.
import { describe, expect, test } from "bun:test";
import { consolidateTask, groupSimilar } from "../../../src/features/maintenance/consolidate.ts";
import { docsTask } from "../../../src/features/maintenance/docs.ts";
import { improveTask } from "../../../src/features/maintenance/improve.ts";
import {
  describeRunState,
  type RunView,
  renderRun,
  renderRunList,
} from "../../../src/features/maintenance/report.ts";
import type { ChangeRecord, RunRecord } from "../../../src/features/maintenance/run-table.ts";
import {
  findNamedPaths,
  type ProjectState,
  type Proposal,
  type TaskInput,
} from "../../../src/features/maintenance/task.ts";
import { verifyTask } from "../../../src/features/maintenance/verify.ts";
import type { Memory, MemoryId } from "../../../src/features/memory/record.ts";
import { parseConfig } from "../../whole-config.ts";

/** A memory, known by its ref. */
function memory(ref: string, text: string, given: Partial<Memory> = {}): Memory {
  const base = {
    ...{ id: ref as MemoryId, ref: ref as Memory["ref"], text, category: "ARCHITECTURE" },
    ...{ permanence: "ordinary", importance: 50, checkedAtMs: 0, changedAtMs: 0 },
    state: { kind: "active" },
  };
  return { ...base, ...given } as Memory;
}

function state(memories: readonly Memory[], given: Partial<ProjectState> = {}): ProjectState {
  return { memories, files: new Map(), fresh: new Set(), nowMs: 0, ...given };
}

const listRefs = (batches: readonly { readonly memories: readonly Memory[] }[]) =>
  batches.map(({ memories }) => memories.map(({ ref }) => ref as string));

describe("consolidate", () => {
  const asked = (memories: readonly Memory[]): TaskInput => ({
    ...{ memories, groups: [memories.map(({ id }) => id)], paths: [] },
    ...{ files: new Map(), texts: new Map(), nowMs: 0 },
  });
  const port = memory("m:aaaaaa", "The checkout service listens on port 3000.", { checkedAtMs: 2 });
  const old = memory("m:bbbbbb", "The checkout service listens on port 2999.", { checkedAtMs: 1 });
  const supersedes = (ref: string, by: string) =>
    consolidateTask.check({ do: "supersede", ref, by, why: "" }, asked([port, old]));

  test("takes the older of two out, and refuses a memory against itself or one that was not shown", () => {
    expect(supersedes("m:bbbbbb", "m:aaaaaa")).toMatchObject({
      ...{ kind: "supersede", id: "m:bbbbbb", by: "m:aaaaaa" },
    });
    const unknown = { code: "unknown_memory" };
    expect(supersedes("m:aaaaaa", "m:aaaaaa")).toMatchObject(unknown);
    expect(supersedes("m:xxxxxx", "m:aaaaaa")).toMatchObject(unknown);
    expect(supersedes("m:aaaaaa", "m:xxxxxx")).toMatchObject(unknown);
  });

  test("groups memories that use the same words, the most alike first, eight at most", () => {
    expect(groupSimilar([port, memory("m:c", "Invoices are printed weekly."), old])).toEqual([
      [port, old],
    ]);
    const [first, last] = ["m:d", "m:f"].map((ref) => memory(ref, "Ledger rounds cents nightly."));
    const between = memory("m:e", "Ledger rounds cents weekly.");
    expect(groupSimilar([first, between, last] as Memory[])).toEqual([
      [first, between, last] as Memory[],
    ]);
    const many = Array.from({ length: 9 }, (_, at) =>
      memory(`m:${at}`, `The ledger rounds amounts to cents in module number${at}.`),
    );
    const twin = memory("m:twin", "The ledger rounds amounts to cents in module number7.");
    const groups = groupSimilar([...many, twin]).map((group) =>
      group.map(({ ref }) => ref as string),
    );
    expect(groups.every(({ length }) => length <= 8)).toBe(true);
    // The two that say the very same are never torn apart by those that are only alike.
    expect(groups.find((group) => group.includes("m:7"))).toContain("m:twin");
  });
});

describe("verify", () => {
  test("asks about memories of the same files together, whatever their order; fresh and permanent ones rest", () => {
    const memories = [
      memory("m:z", "The limit is in z.ts."),
      memory("m:a", "The port is in a.ts."),
      memory("m:fresh", "The host is in a.ts."),
      memory("m:kept", "The name is in a.ts.", { permanence: "permanent" }),
      memory("m:none", "The name is in none.ts."),
      ...Array.from({ length: 6 }, (_, at) => memory(`m:b${at}`, `It is in b${at}.ts.`)),
      memory("m:a2", "The path is in a.ts."),
    ];
    const paths = ["a.ts", "z.ts", ...Array.from({ length: 6 }, (_, at) => `b${at}.ts`)];
    const files = new Map(paths.map((path) => [path, "there"] as const));
    const fresh = new Set(["m:fresh" as MemoryId]);
    expect(listRefs(verifyTask.inspect(state(memories, { files, fresh })))).toEqual([
      ["m:a", "m:a2", "m:b0", "m:b1", "m:b2", "m:b3", "m:b4"],
      ["m:b5", "m:z"],
    ]);
  });
});

describe("improve", () => {
  test("looks at long texts, and at those of a dozen words that say little, the longest first", () => {
    const wordy = "It is the case that there is and there was the port that it is on.";
    const dense =
      "Checkout ledger mailer gateway invoices shipping refunds taxes coupons carts stock audits.";
    const memories = [
      memory("m:wordy", wordy),
      memory("m:dense", dense),
      memory("m:short", "It is the case that there is the port."),
      memory("m:long", "Checkout ledger mailer gateway invoices shipping. ".repeat(3)),
      memory("m:kept", wordy, { permanence: "permanent" }),
      memory("m:fresh", wordy),
    ];
    const fresh = new Set(["m:fresh" as MemoryId]);
    expect(listRefs(improveTask.inspect(state(memories, { fresh })))).toEqual([
      ["m:long", "m:wordy"],
    ]);
  });
});

describe("docs", () => {
  test("are asked about where there is a document, and something for it that was not looked at yet", () => {
    const files = new Map([["ARCHITECTURE.md", "there"] as const]);
    const [fact, value] = [
      memory("m:fact", "Orders are split by day."),
      memory("m:value", "The port is 3000.", { category: "CONFIG_VALUES" }),
    ];
    const look = (given: Partial<ProjectState>) => docsTask.inspect(state([fact, value], given));
    expect(listRefs(look({ files }))).toEqual([["m:fact"]]);
    expect(look({ files })[0]?.paths).toEqual(["ARCHITECTURE.md"]);
    expect(look({})).toEqual([]);
    expect(look({ files, fresh: new Set([fact.id]) })).toEqual([]);
    expect(docsTask.inspect(state([value], { files }))).toEqual([]);
  });

  test("are shown whole up to 60,000 letters, a line each, beside the memories", () => {
    const fact = memory("m:fact", "Orders are split by day.");
    const texts = new Map([
      ["ARCHITECTURE.md", "x".repeat(60_001)],
      ["STRUCTURE.md", "# Shop\n"],
    ]);
    const question = { memories: [fact], groups: [], paths: [], files: new Map(), texts, nowMs: 0 };
    const { prompt } = docsTask.question(question);
    const shown = { ref: "m:fact", category: "ARCHITECTURE", text: fact.text };
    const document = (path: string, content: string) =>
      `<document>\n${JSON.stringify({ path, content })}\n</document>`;
    expect(prompt.split("\n\n")).toEqual([
      `<memories>\n${JSON.stringify(shown)}\n</memories>`,
      document("ARCHITECTURE.md", "x".repeat(60_000)),
      document("STRUCTURE.md", "# Shop\n"),
    ]);
  });
});

test("the files that a memory names end before the sentence does, and are eight at most", () => {
  expect(findNamedPaths("See src/a.ts... and b.c, then ./c.cs. Or d.env.example!")).toEqual([
    ...["src/a.ts", "b.c", "c.cs", "d.env.example"],
  ]);
  const ten = Array.from({ length: 10 }, (_, at) => `f${at}.ts`);
  expect(findNamedPaths(ten.join(" "))).toEqual(ten.slice(0, 8));
});

describe("what a run says of itself", () => {
  const run: RunRecord = {
    ...{ id: 3, project: "p" as RunRecord["project"], directory: "/p", task: "verify", rest: [] },
    ...{ askedBy: "shell", holder: "", jobId: null, activeMemories: null, model: "a/small" },
    ...{ patch: null, begunAtMs: 0, endedAtMs: 1, code: null, undoneAtMs: null },
  };
  const view: RunView = { ...run, looked: 2, tokens: 1_200, counts: { done: 1, refused: 2 } };
  const before = {
    id: "1",
    ref: "m:a",
    text: "Old\nwords.",
  } as unknown as ChangeRecord["before"][0];
  const changed = (proposal: Proposal | null, given: Partial<ChangeRecord> = {}) =>
    ({
      ...{ id: 1, runId: 3, state: "done", code: null, ref: "m:a", before: [before], proposal },
      ...given,
    }) as ChangeRecord;
  const renderRunLines = (...changes: readonly ChangeRecord[]) =>
    renderRun(view, changes, 60_000).split("\n").slice(2);
  const id = "1" as MemoryId;

  test("what it did, by kind, with the words before and after, and the reason in one line", () => {
    const head = renderRun(view, [], 600_000).split("\n");
    expect(head).toEqual([
      "3  verify, done; 10 min ago; 2 items checked; 1 change; 2 refused; 1,200 tokens",
      "Asked a/small.",
    ]);
    const was = "  was m:a: Old words.";
    const [why, text] = ["It\nis so.", "New."];
    expect(renderRunLines(changed({ kind: "rewrite", id, text, why }))).toEqual([
      ...["rewritten m:a. Why: It is so.", was, "  now: New."],
    ]);
    expect(renderRunLines(changed({ kind: "merge", ids: [id], text, why: "" }))).toEqual([
      ...["merged m:a.", was, "  now: New."],
    ]);
    expect(renderRunLines(changed({ kind: "supersede", id, by: id, why: "" }))).toEqual([
      ...["superseded m:a.", was],
    ]);
    const archive = { kind: "archive", id, why: "" } as const;
    expect(renderRunLines(changed(archive, { state: "left" }))).toEqual([
      ...["archived m:a (not undone).", was],
    ]);
    expect(renderRunLines(changed(archive, { state: "undone" }))[0]).toBe("archived m:a (undone).");
    expect(renderRunLines(changed({ kind: "checked", id, why: "" }), changed(null))).toEqual([]);
    const document = { kind: "document", path: "A.md", find: "a", replace: "b", why: "" } as const;
    expect(renderRunLines(changed(document, { ref: "", before: [] }))).toEqual([
      "proposed for A.md.",
    ]);
  });

  test("what it refused is counted by reason, with the first eight memories", () => {
    const refused = (ref: string, code: string | null = "loses") =>
      changed(null, { ref, code, state: "refused" });
    const refs = Array.from({ length: 9 }, (_, at) => `m:${at}`);
    const loses = "as a part of the old text was missing";
    expect(renderRunLines(...refs.map((ref) => refused(ref)))).toEqual([
      `refused 9, ${loses}: ${refs.slice(0, 8).join(", ")} …`,
    ]);
    expect(
      renderRunLines(refused("m:1"), refused("m:1"), refused("", "odd"), refused("m:2", null)),
    ).toEqual([`refused 2, ${loses}: m:1`, "refused 1, odd"]);
  });

  test("how it ended, and that nothing was looked at yet", () => {
    expect(describeRunState({ ...run, endedAtMs: null })).toBe("running");
    expect(describeRunState({ ...run, code: "budget" })).toBe("ended: its budget is used up");
    expect(describeRunState({ ...run, code: "odd" })).toBe("ended: odd");
    expect(renderRunList("shop", [], [], 0)).toBe(
      "No task is set. There has been no run for shop yet.",
    );
    const undone = { ...view, undoneAtMs: 0, patch: "/x", counts: { undone: 1, left: 2 } };
    expect(renderRunList("shop", ["verify"], [undone], 0)).toBe(
      "Set: verify.\n3  verify, done; just now; 2 items checked; 1 undone; 2 not undone; 1,200 tokens; a patch; undone just now",
    );
  });
});

describe("its settings", () => {
  const parsed = (upkeep: object) => () => parseConfig({ upkeep });
  const scheduled = (schedule: string) => parsed({ tasks: { verify: { schedule } } });

  test("take five or six fields of cron, a model by its provider, and a quiet time of a day at most", () => {
    for (const good of ["0 3 * * *", "10 13 * * *", "0 0  3 * * *"])
      expect(scheduled(good)).not.toThrow();
    for (const bad of ["0 3 * *", "0 0 3 * * * *", " 0 3 * * *", ""]) {
      expect(scheduled(bad)).toThrow("expected five fields of cron");
    }
    const model = (name: string) => parsed({ tasks: { verify: { model: name } } });
    expect(model("a/b/c")).not.toThrow();
    for (const bad of ["a", "/b", "a b/c", "a/"]) expect(model(bad)).toThrow("provider/model");
    for (const good of [0, 1_440]) expect(parsed({ quietMinutes: good })).not.toThrow();
    for (const bad of [-1, 1_441]) expect(parsed({ quietMinutes: bad })).toThrow();
    for (const bad of [999, 100_000_001]) {
      expect(parsed({ tasks: { verify: { tokensPerRun: bad } } })).toThrow();
    }
  });
});
