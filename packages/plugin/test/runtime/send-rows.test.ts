// A call of a host that has its rows and its system prompt at once.

import { expect, test } from "bun:test";
import { sendRows } from "../../src/runtime/host-calls.ts";
import { hostOwnedText } from "../../src/sources/host-blocks.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { eventually } from "../eventually.ts";

const rows = [{ info: { id: "msg_1" }, parts: [] }] as never;
const projected = [{ info: { id: "msg_1" }, parts: ["more"] }];
const text = { preamble: "You are.", blocks: { skills: "S" }, live: null, standIns: {} };

function stage(baseline: string | null) {
  const heard: unknown[] = [];
  const instance = {
    runtime: {
      recordHostText: (_: SessionId, saw: unknown) => heard.push(["text", saw]),
      async projectHistory(given: unknown) {
        heard.push(["project", given]);
        return projected;
      },
      composeText: (call: object) => {
        heard.push(["compose", call]);
        return baseline === null ? null : { preamble: "", baseline, live: "" };
      },
    },
    dispatch: async (name: string, given: unknown) => void heard.push([name, given]),
  } as never;
  return { heard, instance };
}

const model = { providerId: "a", modelId: "b", apiId: "b", npm: "" };
const call = { sessionId: "ses_1" as SessionId, model: () => model, text, tools: null };

test("features hear of the boundary before it is decided, and of what was sent after the send", async () => {
  const { heard, instance } = stage("The Baseline.");
  expect(await sendRows(instance, { ...call, rows })).toEqual({
    sent: projected as never,
    baseline: "The Baseline.",
  });
  const { sessionId } = call;
  const decided = [
    ["boundary", { sessionId, history: rows }],
    ["text", text],
    ["project", rows],
    ["compose", { sessionId, text, model }],
  ];
  expect(heard).toEqual(decided);
  await eventually("features hear of the send", () => heard.length > decided.length);
  expect(heard).toEqual([...decided, ["sent", { sessionId, host: rows, sent: projected }]]);
});

test("what is not on record is not sent, and no feature hears of a send", async () => {
  const { heard, instance } = stage(null);
  expect(await sendRows(instance, { ...call, rows })).toBeNull();
  await Bun.sleep(60);
  expect(heard).toHaveLength(4);
});

test("where the host freezes its own text, nothing is read off it", async () => {
  const { heard, instance } = stage("");
  await sendRows(instance, { ...call, text: hostOwnedText, rows });
  expect(heard.map((one) => (one as readonly unknown[])[0])).toEqual([
    ...["boundary", "project", "compose"],
  ]);
});
