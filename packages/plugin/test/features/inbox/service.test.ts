import { afterEach, expect, test } from "bun:test";
import { createInboxService } from "../../../src/features/inbox/create-inbox.ts";
import type { Inbox } from "../../../src/features/inbox/inbox.ts";
import type { Outcome, Step } from "../../../src/features/inbox/plan.ts";
import { publishService } from "../../../src/features/inbox/service.ts";
import { InboxUnavailableError, inboxOf, type PromptToAdmit } from "../../../src/inbox.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { openStage } from "./stage.ts";

const workspace = new Workspace();
const withdrawals: (() => void)[] = [];
afterEach(() => {
  for (const withdraw of withdrawals.splice(0)) withdraw();
});

function published(directory: string) {
  const stage = openStage(workspace);
  const withdraw = publishService(directory, createInboxService(stage.inbox, stage.host));
  withdrawals.push(withdraw);
  return { ...stage, withdraw };
}

test("an inbox that was made before the runtime is up reaches it once it is", async () => {
  const inbox = inboxOf("/project");
  expect(inbox.list(session)).rejects.toThrow(InboxUnavailableError);
  published("/project");
  expect(await inbox.list(session)).toEqual([]);
});

test("a reload's late withdrawal leaves the newer inbox in place", async () => {
  const former = published("/project");
  const current = published("/project");
  former.withdraw();
  current.host.answers = ["hang"];
  await current.host.prompt({ text: "First" });
  await inboxOf("/project").queue(session, "Second");
  expect(current.states()).toContain("waiting");
  expect(former.rows()).toEqual([]);
  current.withdraw();
  expect(inboxOf("/project").list(session)).rejects.toThrow(/is not running for \/project/);
});

test("G4: an admission's id is any text, path separators too: it names a row and no file", async () => {
  const stage = published("/project");
  stage.host.answers = ["hang"];
  await stage.host.prompt({ text: "First" });
  const prompt = {
    sessionId: session,
    id: "../../etc/passwd",
    delivery: "queue",
    parts: [{ type: "text", text: "Second" }],
  } as const;
  expect(await inboxOf("/project").admit(prompt)).toMatchObject({ kind: "admitted" });
  expect(await inboxOf("/project").admit(prompt)).toMatchObject({ kind: "retry" });
  stage.host.release("stop");
  await stage.rest();
  expect(stage.host.texts()).toEqual(["First", "Second"]);
  expect(stage.rows().find(({ id }) => id === prompt.id)?.state).toBe("answered");
});

test("what a prompt may not be is refused by field, and nothing is stored", async () => {
  const stage = published("/project");
  const good = {
    sessionId: session,
    id: null,
    delivery: "queue",
    parts: [{ type: "text", text: "x" }],
  };
  const bad: readonly (readonly [string, object])[] = [
    ["sessionId", { sessionId: "../x" }],
    ["sessionId", { sessionId: 7 }],
    ["id", { id: "" }],
    ["id", { id: 7 }],
    ["delivery", { delivery: "soon" }],
    ["parts", { parts: "x" }],
    ["parts[0]", { parts: [null] }],
    ["parts[0]", { parts: [{ text: "x" }] }],
    ["parts[0].text", { parts: [{ type: "text" }] }],
  ];
  for (const [field, change] of bad) {
    const given: unknown = { ...good, ...change };
    const refused = inboxOf("/project").admit(given as PromptToAdmit);
    await expect(refused).rejects.toMatchObject({ code: "invalid_prompt", field });
  }
  expect(stage.rows()).toEqual([]);
});

test("H3: interrupting by code in an idle session does nothing; nothing is left to go on with", async () => {
  published("/project");
  expect(await inboxOf("/project").interrupt(session)).toBe("idle");
  expect(await inboxOf("/project").resume(session)).toMatchObject({ kind: "nothing" });
});

test("a session that the host doesn't know takes no prompt; what waits is listed by what it is", async () => {
  const stage = openStage(workspace);
  const service = createInboxService(stage.inbox, stage.host);
  const parts = [{ type: "text", text: "Second" }] as const;
  const prompt = { sessionId: session, id: "mine", delivery: "queue", parts } as const;
  const nobody = createInboxService(stage.inbox, { session: async () => null });
  expect(await nobody.admit(prompt)).toBeNull();
  stage.host.answers = ["hang"];
  await stage.host.prompt({ text: "First" });
  const admitted = {
    id: "mine",
    sessionId: session,
    delivery: "queue",
    preview: "Second",
  } as const;
  expect(await service.admit(prompt)).toMatchObject({ kind: "admitted", prompt: admitted });
  const listed = await service.list(session);
  expect(listed).toMatchObject([admitted]);
  expect(Object.keys(listed[0] ?? {}).length).toBe(5);
  expect((await service.resume(session)).kind).toBe("busy");
});

test("says of a resume that there was nothing, that it is held, or that the work goes on", async () => {
  const found = { unsaved: 0, unanswered: 0, swallowed: 0, waiting: 1, tools: [], unread: 0 };
  const resumed = async (step: Step) => {
    const went: Outcome = { ...step, found };
    const inbox = { resume: async () => went } as unknown as Inbox;
    return (await createInboxService(inbox, { session: async () => null }).resume(session)).kind;
  };
  expect(await resumed({ kind: "rest" })).toBe("nothing");
  expect(await resumed({ kind: "hold", why: "unsent" })).toBe("held");
  expect(await resumed({ kind: "promote" })).toBe("going-on");
});
