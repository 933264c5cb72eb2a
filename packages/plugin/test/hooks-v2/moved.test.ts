// Sessions that continue on the other major of OpenCode; and what a project has learnt, sent there.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { hashText } from "../../src/context/canonical.ts";
import { toSourceKey } from "../../src/context/key.ts";
import { composeStoredSchema } from "../../src/feature-api/stored.ts";
import { loadFeatures } from "../../src/features/list.ts";
import plugin from "../../src/index.ts";
import { openRuntimeDatabase } from "../../src/storage/open.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { history, hostSystem, MODEL, PLACE, runtimeOver } from "../kernel/session.ts";
import { isPrefix, ownFolder, standIn, texts } from "./stage.ts";

let folder: ReturnType<typeof ownFolder>;
beforeEach(() => {
  folder = ownFolder();
});
afterEach(() => folder.remove());

const SESSION = "ses_1" as SessionId;

async function database() {
  const path = join(process.env.XDG_DATA_HOME ?? "", "session-runtime/runtime.db");
  const schema = await composeStoredSchema(await loadFeatures({}));
  return (await openRuntimeDatabase({ path, schema })).database;
}

/** An epoch of 1.18, with a fold of two messages and a drop in a part that OpenCode 2 names otherwise. */
async function beginOn1(): Promise<void> {
  const { ledger, close } = await database();
  const common = {
    sessionId: SESSION,
    origin: "history",
    announced: [],
    delta: {},
    decidedAtMs: 1,
  };
  ledger.commit(
    {
      sessionId: SESSION,
      expectedSeq: 0,
      epoch: {
        sessionId: SESSION,
        seq: 1,
        cause: "first",
        location: { directory: process.cwd(), worktree: process.cwd() },
        startMessageId: null,
        baseline: "The environment of 1.18.",
        parts: [{ key: toSourceKey("core/environment"), text: "The environment of 1.18." }],
        snapshot: {
          [toSourceKey("core/instructions")]: {
            hash: hashText("[]"),
            json: "[]",
            removed: "They are gone.",
          },
        },
        startedAtMs: 1,
      },
      entries: [
        {
          ...common,
          seq: 2,
          epochSeq: 1,
          messageId: "msg_1",
          partId: null,
          endMessageId: "msg_2",
          edit: { verb: "fold", first: "msg_1", last: "msg_2", text: "FOLDED ON 1.18" },
        },
        {
          ...common,
          seq: 3,
          epochSeq: 1,
          messageId: "msg_4",
          partId: "prt_of_1",
          endMessageId: null,
          edit: {
            verb: "replace",
            at: { messageId: "msg_4", partId: "prt_of_1" },
            text: "DROPPED ON 1.18",
          },
        },
      ],
    },
    [],
  );
  close();
}

function imported(host: ReturnType<typeof standIn>): void {
  const text = (id: string, role: "user" | "assistant", said: string) =>
    host.stored(SESSION).push({ id, role, content: [{ type: "text", text: said }] });
  text("msg_1", "user", "The first prompt.");
  text("msg_2", "assistant", "The first answer.");
  text("msg_3", "user", "The second prompt.");
  text("msg_4", "assistant", "The second answer.");
}

test("V11: folds whose messages keep their ids stay, what can't be matched is left alone, and nothing of 1.18's context is sent or taken back", async () => {
  await beginOn1();
  const host = standIn();
  imported(host);
  await host.prompt(SESSION, "The third prompt.");
  await host.prompt(SESSION, "The fourth prompt.");
  await host.close();
  expect(host.failed).toEqual([]);
  const [first] = host.sent;
  expect(texts(first).split("FOLDED ON 1.18")).toHaveLength(2);
  expect(texts(first)).not.toContain("The first prompt.");
  expect(texts(first)).toContain("The second answer.");
  expect(texts(first)).not.toContain("DROPPED ON 1.18");
  expect(texts(first)).not.toContain("They are gone.");
  expect(texts(first)).not.toContain("The environment of 1.18.");
  for (const [at, call] of host.sent.slice(1).entries()) {
    expect(isPrefix(host.sent[at], call)).toBe(true);
  }
  const { ledger, close } = await database();
  const { epochs } = ledger.load(SESSION);
  expect(epochs.map(({ cause }) => cause)).toEqual(["first", "replaced"]);
  expect(epochs[1]?.snapshot).toEqual({});
  close();
});

test("V6: what a project has learnt is the first message of each request, and a change of it is announced once", async () => {
  let asked = 0;
  const host = standIn([plugin], ({ messages }) => {
    asked += 1;
    const input = { action: "write", text: `Fact ${asked} of the project.`, category: "NAMING" };
    return messages.at(-1)?.role === "user" && asked === 1
      ? { text: "", calls: [{ id: "m", name: "ctx_memory", input }] }
      : { text: "Done." };
  });
  await host.prompt("ses_a", "Remember it.");
  await host.prompt("ses_b", "What do you know?");
  await host.prompt("ses_b", "And now?");
  await host.close();
  expect(JSON.stringify(host.stored("ses_a"))).toContain("Fact 1");
  const [first, second] = host.sent.filter(({ sessionId }) => sessionId === "ses_b");
  expect(JSON.stringify(first?.messages[0])).toContain("Fact 1 of the project.");
  expect(isPrefix(first, second)).toBe(true);
  expect(texts(second).split("Fact 1 of the project.")).toHaveLength(2);
});

test("V11: a session that comes back to 1.18 begins an epoch of its own: the Baseline has the host's context again", async () => {
  const opened = await database();
  const parts = [{ key: toSourceKey("memory/list"), text: "What was learnt." }];
  opened.ledger.commit(
    {
      sessionId: SESSION,
      expectedSeq: 0,
      epoch: {
        sessionId: SESSION,
        seq: 1,
        cause: "first",
        location: PLACE,
        startMessageId: null,
        baseline: "What was learnt.",
        parts,
        snapshot: {},
        startedAtMs: 1,
      },
      entries: [],
    },
    [],
  );
  const nowMs = Date.UTC(2026, 10, 20, 12);
  const runtime = runtimeOver(
    opened,
    () => nowMs,
    (work) => work(),
  );
  await runtime.projectHistory(history.slice(0, 1));
  const strings = [hostSystem(nowMs)];
  const system = runtime.composeSystem({ sessionId: SESSION, model: MODEL, strings });
  runtime.turns.flush();
  expect(system.join("\n")).toContain("Today's date");
  const { epochs } = opened.ledger.load(SESSION);
  expect(epochs.map(({ cause }) => cause)).toEqual(["first", "replaced"]);
  opened.close();
});
