import { expect, test } from "bun:test";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { quiet } from "./fake-clock.ts";
import { FakeHost } from "./fake-host.ts";
import { openStage, type Stage } from "./stage.ts";

const workspace = new Workspace();

/** What comes of a prompt that another process on the same data queues now. */
async function queuedElsewhere({ path, clock }: Stage): Promise<"waits" | "is sent"> {
  const host = new FakeHost(session);
  const { inbox } = openStage(workspace, { path, clock, host });
  const parts = [{ type: "text", text: "Queued elsewhere" }];
  await inbox.admit({ sessionId: session, id: null, parts, delivery: "queue", reply: "wanted" });
  await quiet();
  return host.texts().length === 0 ? "waits" : "is sent";
}

/** Calls `work` once, between the history that the next look is given and what it makes of it. */
function duringTheNextLook({ host }: Stage, work: () => Promise<void>): void {
  const history = host.history.bind(host);
  host.history = async (sessionId, count) => {
    const rows = await history(sessionId, count);
    host.history = history;
    await work();
    return rows;
  };
}

test("a session that has come to rest is anyone's", async () => {
  const stage = openStage(workspace);
  await stage.host.prompt({ text: "First" });
  await stage.rest();
  expect(await queuedElsewhere(stage)).toBe("is sent");
});

test("a prompt that comes while the last turn's end is looked at keeps the session ours", async () => {
  const stage = openStage(workspace);
  const { host, clock } = stage;
  duringTheNextLook(stage, async () => {
    host.answers = ["hang"];
    await host.prompt({ text: "Second" });
    await quiet();
  });
  await host.prompt({ text: "First" });
  await clock.pass(200);
  expect(stage.states()).toEqual(["answered", "promoted"]);
  expect(await queuedElsewhere(stage)).toBe("waits");
});

test("a turn that no prompt was admitted for keeps the session ours, also when it is looked at", async () => {
  const stage = openStage(workspace);
  stage.inbox.onEvent({ kind: "busy", sessionId: session });
  expect((await stage.inbox.resume(session)).kind).toBe("nothing");
  expect(await queuedElsewhere(stage)).toBe("waits");
});
