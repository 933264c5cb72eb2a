import { describe, expect, test } from "bun:test";
import { proposeFold } from "../../../src/features/history/fold-command.ts";
import {
  createKeepRef,
  type KeepContext,
  proposeKeep,
} from "../../../src/features/history/keep-command.ts";
import { createKeptPartStore } from "../../../src/features/history/rewrite-store.ts";
import { collectKeptIds, KEEP_PROPOSAL } from "../../../src/history/kept.ts";
import { createHistoryPolicy, FOLD_NOW } from "../../../src/history/policy.ts";
import { isTool } from "../../../src/ledger/message.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { output, ran, SimulatedSession, said, settings } from "../../history/simulation.ts";
import { session as id } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();
const NO_TAIL = { ...settings, keepTokens: 0 } as const;
const other = "ses_other" as SessionId;

function talked(): SimulatedSession {
  const session = new SimulatedSession(
    168_000,
    createHistoryPolicy({ ...NO_TAIL, rewrite: "pressure" }),
  );
  for (let turn = 0; turn < 4; turn++) {
    session.prompt(`Do ${turn}.`);
    session.call(said("I look."), ran(`look ${turn}`, output(`look ${turn}`, 4_000)));
    session.call(said(`Did ${turn}.`));
  }
  session.prompt("And now?");
  return session;
}

/** A session of a context, whose proposals the next boundary gets. */
function stand(session = talked()) {
  const { database } = workspace.withEpoch();
  const store = database.store(createKeptPartStore);
  const context: KeepContext = {
    nextCall: async () => ({ ...session.view(), proposals: database.proposals.waiting(id) }),
    propose: (proposal) => database.proposals.add(proposal, 1),
    noted: ({ partIds, hold }, sessionId, messages) =>
      hold === "kept"
        ? store.put(sessionId, partIds, messages, 1)
        : store.remove(sessionId, partIds),
  };
  const keepSettings = { ...settings, rules: ["docs/*.md"] };
  const keep = async (args = "") =>
    (await proposeKeep(context, keepSettings, { sessionId: id, args })).text;
  /** As the next boundary takes what waits. */
  const take = (kind: "command" | "idle" = "command") => {
    session.proposals = database.proposals.waiting(id);
    session.send(kind === "idle" ? { kind, idleMs: 1e9 } : { kind });
    session.proposals = [];
  };
  const waiting = () => database.proposals.waiting(id);
  return { session, context, keep, take, waiting, store };
}

function toolPartId(session: SimulatedSession, turn: number): string {
  const parts = session.messages.flatMap(({ parts: own }) => own.filter(isTool));
  return parts[turn]?.id ?? "";
}

const refIn = (session: SimulatedSession, turn: number) =>
  deriveRef("r", toolPartId(session, turn));

function fold(session: SimulatedSession): void {
  session.proposals = [{ id: 9, kind: FOLD_NOW, urgency: "command", output: { before: null } }];
  session.send({ kind: "command" });
  session.proposals = [];
}

describe("/ctx-keep", () => {
  test("lists what is kept where it is given nothing: by ref, and by the settings", async () => {
    const { keep, session } = stand();
    const nothing = await keep();
    expect(nothing).toStartWith("Nothing in this session is kept by ref.\n");
    expect(nothing).toContain("By `history.keep`, results of: docs/*.md.");
    const ref = refIn(session, 1);
    await keep(ref);
    expect(await keep()).toContain(`- ${ref}: the result of bash look 1, about 1,`);
  });

  test("a result that stands only waits, as nothing has to change for it", async () => {
    const { keep, session, waiting } = stand();
    expect(await keep(refIn(session, 1))).toBe(
      "The result of bash look 1 stays in place.\n`/ctx-keep --drop` and the ref releases it.",
    );
    expect(waiting()).toMatchObject([{ kind: KEEP_PROPOSAL, urgency: "waits" }]);
  });

  test("one that is folded comes back at the next message, at a price that is said before", async () => {
    const { keep, session, waiting, take } = stand();
    fold(session);
    const ref = refIn(session, 1);
    expect(await keep(ref)).toMatch(
      /^At your next message the result of bash look 1 comes back and stays\. That call writes up to [\d,]+ tokens again\./,
    );
    expect(waiting()).toMatchObject([{ kind: KEEP_PROPOSAL, urgency: "command" }]);
    expect(await keep()).toContain(`- ${ref}: the result of bash look 1, about 1,`);
    expect(await keep()).toContain("tokens, back at the next rewrite");
    take();
    expect(
      session.sent
        .flatMap(({ parts }) => parts)
        .some(({ id: part }) => part === toolPartId(session, 1)),
    ).toBe(true);
    expect(await keep(ref)).toStartWith("The result of bash look 1 stays in place.");
  });

  test("a segment's ref brings back the results of its messages, several refs all of theirs", async () => {
    const { keep, session, take } = stand();
    fold(session);
    const segment = session.messages.find(({ parts }) =>
      parts.some((part) => part.id === toolPartId(session, 0)),
    );
    const text = await keep(`${deriveRef("h", segment?.info.id ?? "")}, ${refIn(session, 2)}`);
    expect(text).toStartWith("At your next message 2 pieces come back and stay.");
    take();
    const sent = session.sent.flatMap(({ parts }) => parts.filter(isTool)).map((part) => part.id);
    expect(sent).toEqual([toolPartId(session, 0), toolPartId(session, 2)]);
  });

  test("--drop releases it: it may go at the next rewrite, and not before", async () => {
    const { keep, session, take } = stand();
    const ref = refIn(session, 1);
    expect(await keep(`--drop ${ref}`)).toBe("The result of bash look 1 was not kept.");
    await keep(ref);
    fold(session);
    take();
    expect(await keep(`drop ${ref}`)).toBe(
      "The result of bash look 1 may be dropped again when history is next rewritten.",
    );
    take("idle");
    expect(collectKeptIds({ standing: session.entries, proposals: [] })).toEqual(new Set());
    expect(await keep()).toStartWith("Nothing in this session is kept by ref.");
  });

  test("what is no ref, or of nothing that is there, is said so, and nothing waits", async () => {
    const { keep, waiting } = stand();
    expect(await keep("the log")).toStartWith("Give `/ctx-keep` a ref");
    expect(await keep("--drop")).toStartWith("Give `/ctx-keep` a ref");
    expect(await keep("r:zzzzzz")).toStartWith("r:zzzzzz is not the ref of anything");
    expect(await keep("h:zzzzzz")).toStartWith("h:zzzzzz is not the ref of anything");
    expect(waiting()).toEqual([]);
  });

  test("in a session without a prompt there is nothing to keep", async () => {
    const context: KeepContext = {
      nextCall: async () => null,
      propose: () => undefined,
      noted: () => undefined,
    };
    const keep = (args: string) =>
      proposeKeep(context, { ...settings, rules: [] }, { sessionId: id, args });
    expect((await keep("r:zzzzzz")).text).toStartWith("r:zzzzzz is not the ref");
    expect((await keep("")).text).toStartWith("Nothing in this session is kept");
    expect(await createKeepRef(context)(id, deriveRef("r", "x"))).toStartWith("Not kept");
  });
});

describe("what the model keeps", () => {
  test("waits for the next rewrite, as the model has just been shown it", async () => {
    const { context, session, take, waiting } = stand();
    const keep = createKeepRef(context);
    expect(await keep(id, refIn(session, 1))).toBe("Kept: it stays in its place.");
    fold(session);
    expect(await keep(id, refIn(session, 2))).toStartWith("Kept: it is shown here, and returns");
    expect(waiting().every(({ urgency }) => urgency === "waits")).toBe(true);
    take("idle");
    const sent = session.sent.flatMap(({ parts }) => parts.filter(isTool)).map((part) => part.id);
    expect(sent).toContain(toolPartId(session, 2));
    expect(await keep(id, deriveRef("m", "x"))).toStartWith("Not kept");
  });
});

describe("what a fork inherits", () => {
  test("is found by what all messages up to it say, under the ids that it has there", async () => {
    const { keep, session, store } = stand();
    await keep(refIn(session, 1));
    const forked = session.messages.map(({ info, parts }) => ({
      info: { ...info, id: `f${info.id}`, sessionID: other },
      parts: parts.map((part) => ({ ...part, id: `f${part.id}` })),
    }));
    expect(store.inherited(forked)).toEqual([`f${toolPartId(session, 1)}`]);
    const [prompt, ...rest] = forked;
    if (!prompt) throw new Error("no prompt");
    // Another session that only begins alike, and a fork from before it.
    const changed = rest.map((message, at) => (at === 1 ? { ...message, parts: [] } : message));
    expect(store.inherited([prompt, ...changed])).toEqual([]);
    expect(store.inherited(forked.slice(0, 3))).toEqual([]);
    await keep(`--drop ${refIn(session, 1)}`);
    expect(store.inherited(forked)).toEqual([]);
  });
});

describe("/ctx-fold with a place", () => {
  test("folds all before that prompt, however long the tail would be, and lists the last prompts", async () => {
    const { context, session, waiting } = stand();
    const foldHouse = { ...context, written: () => [] };
    const run = async (args: string) =>
      (await proposeFold(foldHouse, settings, { sessionId: id, args })).text;
    expect(await run("before")).toMatch(
      /^`\/ctx-fold before` and a number folds all work before that prompt:\n\n1\. “And now\?”: spares about [\d,]+ tokens\n2\. “Do 3\.”: spares about/,
    );
    expect(await run("before 5")).toStartWith("There is no work to fold before that prompt.");
    expect(await run("before 6")).toStartWith("This session has fewer than 6 prompts.");
    expect(await run("before 0")).toStartWith("Type `/ctx-fold` alone");
    expect(await run("before two")).toStartWith("Type `/ctx-fold` alone");
    expect(waiting()).toEqual([]);
    expect(await run("before 3")).toStartWith("At your next message: 2 messages folded");
    expect(waiting()).toMatchObject([{ kind: FOLD_NOW, urgency: "command" }]);
    session.proposals = waiting();
    session.send({ kind: "command" });
    const sent = session.sent.flatMap(({ parts }) => parts.filter(isTool)).map((part) => part.id);
    expect(sent).toEqual([toolPartId(session, 2), toolPartId(session, 3)]);
  });

  test("a prompt that is undone by then folds nothing", () => {
    const session = talked();
    session.proposals = [{ id: 9, kind: FOLD_NOW, urgency: "command", output: { before: "gone" } }];
    session.send({ kind: "command" });
    expect(session.entries).toEqual([]);
  });
});
