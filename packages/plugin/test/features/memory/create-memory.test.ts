import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { toSourceKey } from "../../../src/context/key.ts";
import { initialize, reconcile } from "../../../src/context/operations.ts";
import { applyDelta, emptySnapshot, type Snapshot } from "../../../src/context/snapshot.ts";
import { observe } from "../../../src/context/system-context.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { Finders } from "../../../src/feature-api/finders.ts";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import { createMemoryFeature } from "../../../src/features/memory/create-memory.ts";
import { memoriesKey } from "../../../src/features/memory/listing.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { parseTerms } from "../../../src/features/search/query-words.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import { toFolderId } from "../../../src/project/project.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import type { Driver } from "../../../src/storage/driver.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { timesAsLong } from "../../processor-time.ts";
import { projectOver } from "../../project/at-work.ts";
import { Workspace } from "../../storage/workspace.ts";
import { answers, ran } from "../search/stage.ts";
import { added, byModel, SES, wording } from "./store.suite.ts";

const workspace = new Workspace();
const OTHER = "ses_2" as SessionId;
const directory = mkdtempSync(join(tmpdir(), "session-runtime-memory-"));
const project = { id: toFolderId(directory), name: basename(directory), worktree: directory };

let database: RuntimeDatabase;
let feature: ReturnType<typeof createMemoryFeature>;
let state: "open" | "locked";
let finders: Finders;
let opened: boolean;

beforeEach(() => {
  database = workspace.open(workspace.path());
  state = "open";
  opened = false;
  reopen();
});

function reopen(): void {
  feature = roomOver(() => database);
  finders = new Finders([feature.provides.finder]);
}

function roomOver(open: () => RuntimeDatabase): typeof feature {
  const current = () => {
    if (state === "locked") throw new StorageError("locked", "locked");
    return open();
  };
  const featureContext = {
    project: projectOver(directory, current),
    config: { memory: { enabled: true, budgetTokens: 1_200 } },
    database: {
      async ensure() {
        opened = true;
      },
      current,
    },
    log: { warn: () => undefined },
    now: () => 100,
  } as unknown as FeatureContext;
  return createMemoryFeature(featureContext);
}

const store = () => database.store(createSqliteMemoryStore);

async function run(name: string, given: object, sessionId = SES): Promise<string> {
  const tool = feature.tools?.find((one) => one.name === name);
  const abort = new AbortController().signal;
  const call = { sessionId, messageId: "msg_1", agent: "build", abort };
  return (await tool?.run(given, call))?.text ?? "";
}

const write = (text: string, given: object = {}) =>
  run("ctx_memory", { action: "write", text, category: "ARCHITECTURE", ...given });

async function observed(sessionId = SES) {
  const model = { providerId: "p", modelId: "m" };
  const scope = { location: project, sessionId, agent: "build", model };
  const context = feature.sources?.(scope as never);
  if (!context) throw new Error("no sources");
  return observe(context);
}

/** What a session's first call says of memories and notes. */
async function begun(sessionId = SES) {
  const baseline = initialize(await observed(sessionId));
  if (baseline.kind !== "initialized") throw new Error(baseline.kind);
  return { text: baseline.parts.map(({ text }) => text).join("\n"), snapshot: baseline.snapshot };
}

async function told(snapshot: Snapshot, sessionId = SES): Promise<string> {
  const news = reconcile(await observed(sessionId), snapshot);
  return news.kind === "updated" ? news.parts.map(({ text }) => text).join("\n") : news.kind;
}

/** What the model believes after these messages. */
function seen(snapshot: Snapshot, messages: readonly HostMessage[]): Snapshot {
  const drafts = feature.witness?.({ messages, snapshot, standing: [] }) ?? [];
  return drafts.reduce((before, { delta }) => applyDelta(before, delta), snapshot);
}

const refIn = (text: string) => /[mn]:\w{6}/.exec(text)?.[0] ?? "none";

describe("the tool of memories", () => {
  test("Y3: what one session writes, the next one begins with, byte for byte", async () => {
    const text = "Prices are cents:  `price_cents` — never a float (< 0 is a refund).";
    const answer = await write(text);
    expect(answer).toMatch(/^Stored as m:\w{6}\.$/);
    const next = await begun(OTHER);
    expect(next.text).toContain(`- [${refIn(answer)}] ${text}\n`);
  });

  test("Y5: what is known is not stored again; a wrong call is answered, and stores nothing", async () => {
    const answer = await write("All prices in the shop are stored as integers in cents.");
    const ref = refIn(answer);
    expect(await write("Prices in the shop are stored as integers in cents.")).toStartWith(
      `Already stored as ${ref}: All prices`,
    );
    const wrong: readonly (readonly [object, string])[] = [
      [{ action: "write" }, "give a text"],
      [{ action: "write", text: "x".repeat(700) }, "longer than 600"],
      [{ action: "write", text: "API_KEY=abcdefgh12345678" }, "Say where the secret is kept"],
      [{ action: "update", refs: "m:000000", text: "x" }, "no memory m:000000"],
      [{ action: "update", refs: "price", text: "x" }, "nor a ref such as m:k3f9ab"],
      [{ action: "update", refs: ref }, "Nothing to change"],
      [{ action: "update", refs: ref, text: "", category: "" }, "Nothing to change"],
      [{ action: "update", text: "x" }, "Name a memory by its ref, such as m:k3f9ab; a list"],
      [{ action: "archive" }, "Name a memory by its ref"],
      [{ action: "merge", refs: ref, text: "x" }, "two or more"],
    ];
    for (const [given, reason] of wrong) {
      const refusal = await run("ctx_memory", given).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(UserFacingError);
      expect(String(refusal)).toContain(reason);
    }
    expect(await store().list(project.id)).toHaveLength(1);
  });

  test("update, archive, merge and list do what they say", async () => {
    const [one, two] = [
      refIn(await write("The port is 1.")),
      refIn(await write("The host is a.b.")),
    ];
    expect(
      await run("ctx_memory", { action: "update", refs: `[${one}]`, text: "The port is 2." }),
    ).toBe(`Updated ${one}.`);
    const merge = { action: "merge", refs: `${one}, ${two}`, text: "It is a.b:2." };
    const merged = await run("ctx_memory", merge);
    expect(merged).toMatch(new RegExp(`^Merged as m:\\w{6}, in place of ${one}, ${two}\\.$`));
    const list = await run("ctx_memory", { action: "list" });
    expect(list).toContain(`[${refIn(merged)}] ARCHITECTURE 60: It is a.b:2.`);
    expect(await run("ctx_memory", { action: "archive", refs: refIn(merged) })).toBe(
      `Archived ${refIn(merged)}.`,
    );
    expect(await run("ctx_memory", { action: "list" })).toBe("There are no memories of this kind.");
    expect((await begun()).text).toBe("");
  });

  test("a session's model stores so many, and is answered why no more", async () => {
    for (let n = 1; n <= 40; n += 1) await write(`Part part_${n} is the part ${n} of the shop.`);
    expect(write("One more.")).rejects.toThrow("models may store 40 memories in a session");
    expect(await write("Part part_9 is the part 9 of the shop.")).toStartWith("Already stored");
    expect(await store().list(project.id)).toHaveLength(40);
  });

  test("a call's title is what it does, and with what, in 80 characters", async () => {
    const callTitle = async (name: string, given: object) => {
      const tool = feature.tools?.find((one) => one.name === name);
      const abort = new AbortController().signal;
      const call = { sessionId: SES, messageId: "msg_1", agent: "build", abort };
      return (await tool?.run(given, call))?.title;
    };
    const text = "word ".repeat(40);
    expect(await callTitle("ctx_memory", { action: "list" })).toBe("list");
    expect(await callTitle("ctx_memory", { action: "write", text })).toBe(
      `write ${text}`.slice(0, 80),
    );
    const ref = refIn(await write("A fact."));
    expect(await callTitle("ctx_memory", { action: "archive", refs: ref })).toBe(`archive ${ref}`);
    expect(await callTitle("ctx_note", { text })).toBe(text.slice(0, 80));
  });

  test("a list of 500 is bounded, and says how to see the rest", async () => {
    const changes = Array.from({ length: 500 }, (_, n) => ({
      kind: "add" as const,
      wording: wording(`Fact number ${n} of many, of a usual length of one sentence.`),
    }));
    await write("Orders are plural.", { category: "NAMING" });
    const few = await run("ctx_memory", { action: "list", category: "NAMING" });
    expect(few).toEndWith("Orders are plural.\n</recalled>");
    expect(await run("ctx_memory", { action: "list", category: "CONSTRAINTS" })).toBe(
      "There are no memories of this kind.",
    );
    await store().apply(project.id, changes, byModel(1));
    const list = await run("ctx_memory", { action: "list" });
    expect(list.length).toBeLessThan(6_200);
    expect(list).toMatch(/\d+ more; ask by category\.$/);
  });
});

describe("a session is not told its own words again", () => {
  const call = (input: object, output: string) => ran("ctx_memory", input, output);

  test("Y4: its own write, update, archive and merge count as told", async () => {
    await write("Known from the beginning.");
    const { snapshot } = await begun();
    const said = { action: "write", text: "Orders are never deleted.", category: "CONSTRAINTS" };
    const first = call(said, await run("ctx_memory", said));
    expect(await told(snapshot)).toContain("Orders are never deleted.");
    let belief = seen(snapshot, [answers("Noted."), first]);
    expect(await told(belief)).toBe("unchanged");

    const ref = refIn(JSON.stringify(first));
    const [draft] = feature.witness?.({ messages: [first], snapshot, standing: [] }) ?? [];
    expect(draft).toMatchObject({
      announced: [{ key: toSourceKey(memoriesKey), text: `[${ref}] Orders are never deleted.` }],
    });
    const update = { action: "update", refs: ref, text: "Orders are archived." };
    belief = seen(belief, [call(update, await run("ctx_memory", update))]);
    expect(await told(belief)).toBe("unchanged");
    const archive = { action: "archive", refs: ref };
    belief = seen(belief, [call(archive, await run("ctx_memory", archive))]);
    expect(await told(belief)).toBe("unchanged");
  });

  test("its first memory, and its last one archived, too", async () => {
    const said = { action: "write", text: "The only one.", category: "NAMING" };
    const first = call(said, await run("ctx_memory", said));
    const belief = seen(emptySnapshot, [first]);
    expect(await told(belief)).toBe("unchanged");
    const archive = { action: "archive", refs: refIn(JSON.stringify(first)) };
    const after = seen(belief, [call(archive, await run("ctx_memory", archive))]);
    expect(Object.keys(after)).toEqual([]);
    expect(await told(after)).toBe("unchanged");
  });

  test("what others changed meanwhile is told once, its own words not", async () => {
    const { snapshot } = await begun();
    await store().enter(project, 1);
    await added(store(), project, wording("By somebody else."));
    const said = { action: "write", text: "By myself.", category: "NAMING" };
    const belief = seen(snapshot, [call(said, await run("ctx_memory", said))]);
    const news = await told(belief);
    expect(news).toContain("By somebody else.");
    expect(news).not.toContain("By myself.");
  });

  test("a call that failed, was cut off by a prune or is on record already tells nothing", async () => {
    const said = { action: "write", text: "A fact.", category: "NAMING" };
    const done = call(said, await run("ctx_memory", said));
    const pruned = structuredClone(done);
    const [part] = pruned.parts as unknown as readonly { id: string; state: { time: object } }[];
    Object.assign(part?.state.time ?? {}, { compacted: 1 });
    expect(seen(emptySnapshot, [pruned])).toEqual({});
    expect(seen(emptySnapshot, [call(said, "Nothing was stored: …")])).toEqual({});
    const standing = [{ edit: null, partId: part?.id }] as never;
    expect(feature.witness?.({ messages: [done], snapshot: emptySnapshot, standing })).toEqual([]);
    expect(Object.keys(seen(emptySnapshot, [done]))).toEqual([toSourceKey(memoriesKey)]);
  });

  test("a feature that has read nothing yet leaves it to the source", async () => {
    const said = { action: "write", text: "A fact.", category: "NAMING" };
    const done = call(said, await run("ctx_memory", said));
    feature = roomOver(() => database);
    expect(seen(emptySnapshot, [done])).toEqual({});
  });
});

describe("notes", () => {
  test("Y6: for a session or its project, in view until they are done", async () => {
    const own = refIn(await run("ctx_note", { text: "Mine." }));
    const shared = refIn(await run("ctx_note", { text: "Everybody's.", for: "project" }));
    expect((await begun()).text).toContain(`[${own}] Mine.\n- [${shared}] (project) Everybody's.`);
    const { text, snapshot } = await begun(OTHER);
    expect(text).not.toContain("Mine.");
    expect(await run("ctx_note", { done: `${shared}, n:000000` })).toBe(
      `Done: ${shared}. No open note: n:000000.`,
    );
    expect(await told(snapshot, OTHER)).toBe("There are no open notes any more.");
    expect(run("ctx_note", { done: shared })).rejects.toThrow("No open note");
    expect(run("ctx_note", {})).rejects.toThrow("Give a text to add");
    expect(run("ctx_note", { text: "", done: "" })).rejects.toThrow("Give a text to add");
    expect(run("ctx_note", { text: "!", done: "n:000000" })).rejects.toThrow(
      "No open note: n:000000. Nothing was stored: give a text",
    );
    expect(run("ctx_note", { text: "password: hunter2hunter2" })).rejects.toThrow("secret");
  });

  test("a wrong ref beside a text, or a wrong text beside a ref, leaves the other one done", async () => {
    const added = await run("ctx_note", { text: "Mine.", done: "n:000000" });
    expect(added).toMatch(/^No open note: n:000000\. Stored as n:\w{6}\.$/);
    const ref = refIn(added.replace("n:000000", ""));
    expect((await begun()).text).toContain(`[${ref}] Mine.`);
    expect(await run("ctx_note", { text: "?", done: ref })).toStartWith(
      `Done: ${ref}. Nothing was stored:`,
    );
    expect((await begun()).text).not.toContain("Mine.");
  });

  test("its own note, and its own word that one is done, count as told", async () => {
    const add = { text: "Mine." };
    const output = await run("ctx_note", add);
    let belief = seen(emptySnapshot, [ran("ctx_note", add, output)]);
    expect(await told(belief)).toBe("unchanged");
    const both = { done: refIn(output), text: "Another." };
    belief = seen(belief, [ran("ctx_note", both, await run("ctx_note", both))]);
    expect(await told(belief)).toBe("unchanged");
  });
});

describe("the store out of reach", () => {
  test("says nothing and forgets nothing, and is read again when it is there", async () => {
    await write("A fact.");
    const { snapshot } = await begun();
    state = "locked";
    expect((await observed()).map(({ state: seenState }) => seenState.kind)).toEqual([
      "unavailable",
      "unavailable",
    ]);
    state = "open";
    expect(await told(snapshot)).toBe("unchanged");
  });

  test("an unchanged store is not read again", async () => {
    await write("A fact.");
    await observed();
    const first = await observed();
    const read = spyOn(store(), "readable");
    const again = await observed();
    expect(again[0]?.state).toBe(first[0]?.state as never);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });
});

test("a use is counted once a session, when a call with it was sent", async () => {
  await write("A fact.");
  await begun();
  for (const sessionId of [SES, SES, OTHER]) {
    feature.hooks?.sent?.({ sessionId, host: [], sent: [] } as never);
    await Bun.sleep(1);
  }
  expect(await store().list(project.id)).toMatchObject([{ uses: 2, usedAtMs: 100 }]);
  feature.hooks?.onEvent?.({ kind: "deleted", sessionId: SES });
});

function candidate(text: string) {
  const rests = { source: "tool", segment: "h:000001" as Ref } as const;
  return { kind: "learn", wording: wording(text), state: "candidate", ...rests } as const;
}

describe("/ctx-memory and /ctx-note", () => {
  async function command(name: string, args: string, sessionId = SES): Promise<string> {
    const found = feature.commands?.find((one) => one.name === name);
    if (found?.kind !== "action") throw new Error("no action");
    const { text, shownBy } = await found.act({ sessionId, args, files: [], process: "stays" });
    expect(shownBy).toBe("note");
    expect(found.dialog(args)).toBeNull();
    return text;
  }

  test("Y7: a person reads, adds, corrects, archives, restores and forgets", async () => {
    expect(await command("ctx-memory", "")).toBe(
      `Nothing is stored about ${project.name} yet. /ctx-memory add TEXT adds one, and the model adds some by itself.`,
    );
    const added_ = await command("ctx-memory", "add naming Tables are singular.");
    expect(added_).toBe("Stored as memory 1, under NAMING.");
    const ref = refIn(await command("ctx-memory", "show 1"));
    expect(await command("ctx-memory", `edit ${ref} Tables have singular names.`)).toBe(
      "Updated memory 1.",
    );
    expect(await command("ctx-memory", "list")).toBe(
      [
        `1 memory of ${project.name}\n\nNAMING\n  1  Tables have singular names. (70)`,
        "In brackets: importance, from 0 to 100. /ctx-memory show 3 says where\nnumber 3 comes from; edit 3 TEXT, archive 3 and forget 3 change it;\nconfirm 3, or confirm all, gives candidates to sessions. /ctx-note done\nn:… closes a note.",
      ].join("\n\n"),
    );
    expect(await command("ctx-memory", `show ${ref}`)).toContain(`by user in ${SES}`);
    expect(await command("ctx-memory", "archive 1")).toBe("Archived memory 1.");
    expect(await command("ctx-memory", "restore #1")).toBe("Restored memory 1.");
    expect(await command("ctx-memory", "forget 1")).toBe("Deleted memory 1 for good.");
    expect(await command("ctx-memory", "begin")).toStartWith("Type /ctx-memory alone");
    expect(await command("ctx-memory", "add")).toStartWith("Nothing was stored");
    expect(await store().list(project.id)).toEqual([]);
  });

  test("a candidate is in the list, and nowhere else until a person confirms it", async () => {
    await store().enter(project, 1);
    const rule = "Deploys go without a review.";
    const twin = { ...candidate("Deploys go without a review"), source: "session" } as const;
    const other = candidate("Orders are kept for nine years.");
    const by = { ...byModel(1), by: "historian" } as const;
    await store().apply(project.id, [candidate(rule), twin, other], by);
    expect(await store().list(project.id)).toHaveLength(2);
    expect((await begun()).text).toBe("");
    expect(await finders.search(SES, parseTerms("deploys review"))).toEqual({
      ...{ findings: [], inContext: 0 },
    });
    expect(await run("ctx_memory", { action: "list" })).toBe("There are no memories of this kind.");
    const ref = refIn(await command("ctx-memory", "show 1"));
    expect(await finders.show(ref as Ref)).toBeNull();
    for (const action of ["update", "archive", "merge"]) {
      const given = { action, refs: action === "merge" ? `${ref}, 2` : ref, text: "Deploys go." };
      expect(run("ctx_memory", given)).rejects.toThrow("has no memory");
    }
    const list = await command("ctx-memory", "");
    expect(list).toStartWith(
      `0 memories of ${project.name}, 2 candidates\n\nCandidates: no session`,
    );
    expect(list).toContain(`\n  1  ${rule} (ARCHITECTURE, found in the output of\n`);
    expect(await command("ctx-memory", "show 1")).toContain(
      "found in the output of a tool, in the segment h:000001",
    );
    expect(await command("ctx-memory", "confirm")).toStartWith("Name a memory by its number");
    expect(await command("ctx-memory", "confirm 1")).toBe(
      "Confirmed memory 1. Sessions get it from their next call on.",
    );
    expect((await begun()).text).toContain(`- [${ref}] ${rule}\n`);
    expect((await begun()).text).not.toContain("nine years");
    expect(await command("ctx-memory", "confirm 1")).toBe("Memory 1 is active, not a candidate.");
    expect(await command("ctx-memory", "confirm all")).toStartWith("Confirmed memory 2.");
    expect(await command("ctx-memory", "confirm all")).toBe("There are no candidates.");
  });

  test("a candidate that a person archives is gone; one that he corrects or says himself is known", async () => {
    await store().enter(project, 1);
    const texts = ["One fact of the shop.", "Two facts of the shop.", "Three facts of the shop."];
    await store().apply(project.id, texts.map(candidate), { ...byModel(1), by: "historian" });
    await command("ctx-memory", "archive 1");
    await command("ctx-memory", "edit 2 Two facts of the till.");
    expect(await command("ctx-memory", "add Three facts of the shop.")).toBe(
      "Stored as memory 3, under ARCHITECTURE.",
    );
    const { text } = await begun();
    expect(text).not.toContain("One fact");
    expect(text).toContain("Two facts of the till.");
    expect(text).toContain("Three facts of the shop.");
    expect(
      (await store().list(project.id)).map(({ number, state }) => [number, state.kind]),
    ).toEqual(
      expect.arrayContaining([
        [1, "archived"],
        [2, "active"],
        [3, "active"],
      ]),
    );
  });

  test("what a person says again in his words is his: a model's words give way", async () => {
    await write("All prices in the shop are stored as integers in cents.");
    expect(
      await command("ctx-memory", "add Prices in the shop are stored as integers in cents."),
    ).toBe("Already stored as memory 1, which now has your words.");
    const [active] = (await store().list(project.id)).filter(
      ({ state }) => state.kind === "active",
    );
    expect(active).toMatchObject({
      ...{ number: 1, text: "Prices in the shop are stored as integers in cents." },
      ...{ source: "user", importance: 70 },
    });
  });

  test("what a model makes of a person's memory is a model's, and less important", async () => {
    await command("ctx-memory", "add The port is 1.");
    await command("ctx-memory", "add The host is a.b.");
    const [one, two] = (await store().list(project.id)).map(({ ref }) => ref);
    await run("ctx_memory", { action: "update", refs: one, text: "The port is 3." });
    await run("ctx_memory", { action: "merge", refs: `${one}, ${two}`, text: "It is a.b:3." });
    for (const memory of await store().list(project.id)) {
      const isModels = !["The port is 1.", "The host is a.b."].includes(memory.text);
      expect([memory.text, memory.source, memory.importance]).toEqual([
        ...[memory.text, isModels ? "session" : "user", isModels ? 60 : 70],
      ]);
    }
  });

  test("a list of many is bounded, and says where all of it is", async () => {
    await run("ctx_note", { text: "enter" });
    const changes = Array.from({ length: 130 }, (_, n) => ({
      kind: "add" as const,
      wording: wording(`Fact ${n}.`),
    }));
    await store().apply(project.id, changes, byModel(1));
    const list = await command("ctx-memory", "");
    expect(list.match(/^ +\d+ {2}Fact/gm)).toHaveLength(100);
    expect(list).toEndWith("\n\n30 more: `memory` on the command line lists all.");
  });

  test("a person notes for this session or the project, and finishes notes of the model", async () => {
    expect(await command("ctx-note", "")).toStartWith("There are no open notes.");
    const own = refIn(await command("ctx-note", "Run the migration."));
    const shared = refIn(await command("ctx-note", "project Ask about prices."));
    const model = refIn(await run("ctx_note", { text: "By the model." }));
    expect(await command("ctx-note", "")).toBe(
      [
        `[${own}] Run the migration.`,
        `[${shared}] (project) Ask about prices.`,
        `[${model}] By the model.`,
        "\n/ctx-note done n:… closes one.",
      ].join("\n"),
    );
    expect(await command("ctx-note", "", OTHER)).toStartWith(
      `[${shared}] (project) Ask about prices.\n\n`,
    );
    expect(await command("ctx-note", `done ${own} ${model}`)).toBe(`Done: ${own}, ${model}.`);
    expect(await command("ctx-note", "done")).toStartWith("Name a note by its ref");
  });
});

describe("a look-up", () => {
  const search = (query: string, sessionId = SES) => finders.search(sessionId, parseTerms(query));
  const searchTexts = async (query: string) =>
    (await search(query)).findings.flatMap(({ lines }) => lines);

  test("Y10: finds memories and notes by words and pieces of them, and leaves out what is in the context", async () => {
    const [a, b] = [
      refIn(await write("The gateway listens on port 5433.")),
      refIn(await write("x")),
    ];
    const note = refIn(await run("ctx_note", { text: "Move the gateway.", for: "project" }, OTHER));
    reopen();
    expect((await search("gateway port", OTHER)).findings).toEqual([
      {
        ref: a,
        words: "memory, ARCHITECTURE",
        lines: ["The gateway listens on port 5433."],
        madeAtMs: 100,
      },
      { ref: note, words: "open note", lines: ["Move the gateway."], madeAtMs: 100 },
    ] as never);
    await begun();
    expect(await search("gateway port")).toEqual({ findings: [], inContext: 2 });
    expect((await search("nothing of the kind")).findings).toEqual([]);
    expect((await finders.show(b as never))?.lines).toEqual(["x"]);
    await run("ctx_memory", { action: "archive", refs: b });
    expect((await finders.show(b as never))?.words).toBe("archived memory, ARCHITECTURE");
    expect(await finders.show("m:000000" as never)).toBeNull();
  });

  test("what is found by meaning counts as used; what is in the context is none of it", async () => {
    const written = async (text: string) => {
      const found = await store().find(project.id, refIn(await write(text)) as Ref);
      if (!found) throw new Error("no memory");
      return found;
    };
    const [memory, shown] = [await written("The heron nests."), await written("Owls hoot.")];
    // Another start of the host, of which nothing has been read yet.
    reopen();
    const meant = feature.provides.corpus;
    const asker = { sessionId: OTHER, within: "session", terms: [] } as const;
    expect((await meant.list())?.map(({ key }) => key).toSorted()).toEqual(
      [memory.ref, shown.ref].map(String).toSorted(),
    );
    expect(await meant.texts([memory.ref, "m:000000"])).toEqual(["The heron nests.", null]);
    const found = await meant.find(asker, [memory.ref, "m:000000"]);
    expect(found).toMatchObject([{ ref: memory.ref, lines: ["The heron nests."] }, "gone"]);
    expect((await store().find(project.id, memory.ref))?.uses).toBe(1);
    await begun(OTHER);
    expect(await meant.find(asker, [shown.ref])).toEqual(["in context"]);
    expect((await store().find(project.id, shown.ref))?.uses).toBe(0);
  });

  test("what is found counts as used; a store out of reach finds nothing", async () => {
    await write("The gateway listens on port 5433.");
    reopen();
    expect(await searchTexts("5433")).toHaveLength(1);
    expect(await store().list(project.id)).toMatchObject([{ uses: 1 }]);
    state = "locked";
    expect(await search("5433")).toEqual({ findings: [], inContext: 0 });
  });

  test("5,000 memories: a look-up takes at most four times as long as with 500", async () => {
    const words = "gateway shop cart price order staging database queue worker cache".split(" ");
    const changes = Array.from({ length: 5_000 }, (_, n) => ({
      kind: "add" as const,
      wording: wording(
        `The ${words[n % 10]} of part ${n} listens on port ${n + 10_000}, and the ${words[(n * 7) % 10]} follows it.`,
      ),
    }));
    const lookUpIn = async (count: number) => {
      database = workspace.open(workspace.path());
      reopen();
      await run("ctx_note", { text: "enter" });
      await store().apply(project.id, changes.slice(0, count), byModel(1));
      const own = finders;
      return async () => {
        for (const [at, word] of words.entries()) {
          const part = Math.floor((at * count) / words.length);
          const query = `which port does the ${word} of part ${part} listen on`;
          await own.search(SES, parseTerms(query));
        }
      };
    };
    const [some, all] = [await lookUpIn(500), await lookUpIn(5_000)];
    // Reading all of them would take ten times as long.
    const mostTimes = 4;
    expect(await timesAsLong(all, some, mostTimes)).toBeLessThan(mostTimes);
    expect((await searchTexts("port 12407"))[0]).toContain("part 2407 listens");
  });
});

test("I20: with 5,000 memories, a call of an unchanged project asks for the version and reads nothing", async () => {
  await run("ctx_note", { text: "enter" });
  const changes = Array.from({ length: 5_000 }, (_, n) => ({
    kind: "add" as const,
    wording: wording(`Fact number ${n} of the shop.`, { importance: n % 100 }),
  }));
  await store().apply(project.id, changes, byModel(1));
  const asked: string[] = [];
  const counting = database.store((driver: Driver) => {
    const noted =
      <Given extends readonly unknown[], Result>(work: (sql: string, ...rest: Given) => Result) =>
      (sql: string, ...rest: Given) => {
        asked.push(sql);
        return work(sql, ...rest);
      };
    return createSqliteMemoryStore({
      ...driver,
      get: noted(driver.get),
      all: noted(driver.all),
      run: noted(driver.run),
    });
  });
  feature = roomOver(() => ({ ...database, store: () => counting }) as RuntimeDatabase);
  await observed();
  asked.length = 0;
  for (let call = 0; call < 100; call += 1) await observed();
  expect(new Set(asked)).toEqual(new Set(["PRAGMA data_version"]));
  expect(asked).toHaveLength(200);
});

test("Y7: a command that a session begins with opens the database itself", async () => {
  const command = feature.commands?.find(({ name }) => name === "ctx-memory");
  if (command?.kind !== "action") throw new Error("no command");
  const call = {
    sessionId: SES,
    args: "add Prices are cents.",
    files: [],
    process: "stays",
  } as const;
  expect((await command.act(call)).text).toStartWith("Stored as memory 1");
  expect(opened).toBe(true);
});
