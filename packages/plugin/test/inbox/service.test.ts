import { afterEach, expect, test } from "bun:test";
import { serviceOf } from "../../src/inbox/serve.ts";
import { publishService } from "../../src/inbox/service.ts";
import { InboxUnavailableError, inboxOf } from "../../src/inbox.ts";
import { session } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";
import { openStage } from "./stage.ts";

const workspace = new Workspace();
const withdrawals: (() => void)[] = [];
afterEach(() => {
  for (const withdraw of withdrawals.splice(0)) withdraw();
});

function published(directory: string) {
  const stage = openStage(workspace);
  const withdraw = publishService(directory, serviceOf(stage.inbox, stage.host));
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
  expect(inboxOf("/project").list(session)).rejects.toThrow(/does not run for \/project/);
});

test("H3: interrupting by code in an idle session does nothing; nothing is left to go on with", async () => {
  published("/project");
  expect(await inboxOf("/project").interrupt(session)).toBe("idle");
  expect(await inboxOf("/project").resume(session)).toMatchObject({ kind: "nothing" });
});
