import { describe, expect, test } from "bun:test";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import type { Inbox } from "../../../src/features/inbox/inbox.ts";
import { selectInboxStores } from "../../../src/features/inbox/inbox-deps.ts";
import { createOwnInput } from "../../../src/features/inbox/prompt.ts";
import { runQueueCommand } from "../../../src/features/inbox/queue.ts";
import { WaitingList } from "../../../src/features/inbox/waiting-list.ts";
import { QUEUE_USAGE } from "../../../src/features/inbox/words.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();

/** A queue with these prompts. */
function queued(...texts: readonly string[]) {
  const database = workspace.open(workspace.path());
  database.ledger.commit(firstCommit());
  const admit = (parts: readonly Record<string, unknown>[], index: number) =>
    selectInboxStores(database).inbox.admit({
      ...createOwnInput(
        { sessionId: session, id: null, parts, delivery: "queue", reply: "wanted" },
        `msg_${index}`,
        index,
      ),
      directory: "/project",
    });
  for (const [index, text] of texts.entries()) admit([{ type: "text", text }], index + 1);
  let activity: "idle" | "busy" = "busy";
  const list = () =>
    new WaitingList(
      { database: () => selectInboxStores(database), now: () => 9_000 },
      session,
      activity === "idle",
    );
  const did: unknown[] = [];
  const note =
    (what: string) =>
    async ({ parts, delivery, id, reply }: { [key: string]: unknown }) =>
      did.push([what, parts, delivery, id, reply]);
  const inbox = { readQueue: async () => list(), store: note("store"), admit: note("admit") };
  const change = async (args: string, process: "stays" | "ends" = "stays") => {
    const call = { sessionId: session, args, files: [FILE], process };
    return (await runQueueCommand(inbox as unknown as Inbox, call)).text;
  };
  const idle = () => {
    activity = "idle";
  };
  const shown = () =>
    list()
      .listPrompts(99)
      .map(({ text }) => text);
  return { database, list, change, did, idle, shown, admit };
}

const FILE = { type: "file", url: "file:///x" };

describe("a prompt that is added", () => {
  const parts = [{ type: "text", text: "Fix it" }, FILE];

  test("is admitted, and said when it is sent", async () => {
    const { change, did, idle } = queued("one");
    expect(await change("Fix it")).toBe(
      "Queued as number 2: it is stored, and sent when the session has settled.",
    );
    idle();
    expect(await change("Fix it")).toContain("Queued as number 2");
    expect(did[0]).toEqual(["admit", parts, "queue", null, "wanted"]);
    const empty = queued();
    expect(await empty.change("Fix it")).toContain("Queued as number 1");
    empty.idle();
    expect(await empty.change("Fix it")).toBe("The session is idle: the prompt is sent now.");
  });

  test("is stored alone where OpenCode ends with the command", async () => {
    const { change, did } = queued("one");
    expect(await change("Fix it", "ends")).toStartWith("Queued as number 2. OpenCode ends with");
    expect(did).toEqual([["store", parts, "queue", null, "wanted"]]);
  });
});

describe("places are changed", () => {
  const three = ["one", "two", "three"];
  const missing = (place: number, has = "the queue has 3") =>
    `There is no prompt ${place}: ${has}. Nothing was changed.`;
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["edit 2 new", "Prompt 2 has the new text.", ["one", "new", "three"]],
    ["edit 4 new", missing(4), three],
    ["edit 0 new", missing(0), three],
    ["drop 2", "Removed prompt 2 from the queue.", ["one", "three"]],
    ["drop 1-2", "Removed prompts 1 to 2 from the queue.", ["three"]],
    ["drop 1-3", "Removed prompts 1 to 3 from the queue.", []],
    ["drop 0-2", missing(0), three],
    ["drop 2-4", missing(4), three],
    ["drop 1-4", missing(4), three],
    ["drop all", "Removed 3 prompts from the queue.", []],
    ["move 3 1", "Moved prompt 3 to place 1.", ["three", "one", "two"]],
    ["move 1 3", "Moved prompt 1 to place 3.", ["two", "three", "one"]],
    ["move 4 1", missing(4), three],
    ["move 0 1", missing(0), three],
    ["move 1 4", missing(4), three],
    ["move 1 0", missing(0), three],
    ["move 3 0", missing(0), three],
  ];
  test.each(rows)("%s", async (args, said, left) => {
    const { change, shown } = queued(...three);
    expect(await change(args)).toBe(said);
    expect(shown()).toEqual([...left]);
  });

  test("of an empty queue there is none", async () => {
    const { change } = queued();
    expect(await change("drop 1")).toBe(missing(1, "the queue is empty"));
    expect(await change("drop all")).toBe("Removed 0 prompts from the queue.");
  });

  test("not by what is not understood", async () => {
    const { change, shown } = queued(...three);
    for (const args of ["drop 3-2", "edit 1", "move 1"]) {
      const said = await change(args);
      expect(said).toStartWith(`\`${args}\` was not understood: `);
      expect(said).toEndWith(`Nothing was changed or queued.\n\n${QUEUE_USAGE}`);
    }
    expect(shown()).toEqual(three);
  });

  test("a list shows twenty, and how many more there are", async () => {
    const { change } = queued(...Array.from({ length: 21 }, (_, index) => `p${index}`));
    expect(await change("")).toContain("  20  p19\n      … and 1 more");
  });
});

test("a place that was sent meanwhile is refused, and nothing is changed", () => {
  const { database, list } = queued("one", "two");
  const { inbox } = selectInboxStores(database);
  const former = list();
  for (const { id } of inbox.waiting(session, 0, 1)) inbox.settle(id, "dropped", 1);
  expect(() => former.edit(2, "new")).toThrow(
    new UserFacingError("There is no prompt 2: the queue has 2. Nothing was changed."),
  );
  expect(() => former.move(1, 2)).toThrow(UserFacingError);
  expect(list().listPrompts(9)).toMatchObject([{ text: "two" }]);
});

test("a waiting prompt has all of its text, and files that an edit leaves", () => {
  const { list, admit } = queued();
  admit([{ type: "text", text: "one" }, FILE, { type: "text", text: "two" }], 1);
  expect(list().listPrompts(9)).toMatchObject([{ text: "one\ntwo", files: 1 }]);
  list().edit(1, "new");
  expect(() => list().edit(2, "new")).toThrow("There is no prompt 2: the queue has 1.");
  expect(list().listPrompts(9)).toMatchObject([{ text: "new", files: 1 }]);
  expect(list().listFirst(9)).toMatchObject([{ preview: "new" }]);
});
