import { describe, expect, test } from "bun:test";
import type {
  ArrivingPrompt,
  SavedMessage,
  StoredPrompt,
} from "../../../src/feature-api/prompt.ts";
import {
  createSteerInput,
  resolvePrompt,
  restoreStoredPrompt,
} from "../../../src/features/inbox/arrival.ts";
import { LiveParts } from "../../../src/features/inbox/instance.ts";
import { isEmpty } from "../../../src/features/inbox/plan.ts";
import {
  addPartIds,
  computePromptDigest,
  createOwnInput,
  emptyOptions,
  isNote,
  joinText,
  renderPreview,
  toPlainParts,
} from "../../../src/features/inbox/prompt.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import { stopTurn } from "../../../src/features/inbox/send.ts";
import { session } from "../../storage/records.ts";

const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const model = { providerID: "anthropic", modelID: "claude" };

describe("the parts of a prompt", () => {
  test("are a note where there are any, and all are for the user's eye alone", () => {
    const ignored = text("a", { ignored: true });
    expect([[], [ignored], [ignored, text("b")], [text("b")]].map(isNote)).toEqual([
      ...[false, true, false, false],
    ]);
  });

  test("have texts that an edit replaces, and copies that share nothing", () => {
    const parts = [text("one"), { type: "file", url: "x" }, text("two")];
    expect(joinText(parts)).toBe("one\ntwo");
    const copies = toPlainParts(parts);
    expect(copies).toEqual(parts);
    expect(copies[0]).not.toBe(parts[0]);
    let next = 0;
    const named = addPartIds(parts, () => `prt_${++next}`);
    expect(named.map(({ id, type }) => [id, type])).toEqual([
      ["prt_1", "text"],
      ["prt_2", "file"],
      ["prt_3", "text"],
    ]);
  });

  test("are shown by what the user wrote, or by how many files there are", () => {
    const made = text("made", { synthetic: true });
    expect(renderPreview([text(" a "), made, { type: "file" }, text("b")])).toBe("a b");
    expect(renderPreview([made])).toBe("");
    expect(renderPreview([text("x".repeat(120))])).toBe("x".repeat(120));
    expect(renderPreview([text("x".repeat(121))])).toBe(`${"x".repeat(119)}…`);
    expect(renderPreview([text(`${" ".repeat(480)}a`)])).toBe("");
  });

  test("are told apart by all that they hold, but for what a retry has afresh", () => {
    const digest = (...parts: readonly Record<string, unknown>[]) =>
      computePromptDigest(parts, emptyOptions);
    expect(digest(text("a", { time: { start: 1 }, sessionID: "s" }))).toBe(digest(text("a")));
    expect(digest(text("a", { metadata: {} }))).not.toBe(digest(text("a")));
    const asked = [{ model }, { variant: "high" }, { format: { type: "json_schema" } }];
    const digests = asked.map((one) =>
      computePromptDigest([text("a")], { ...emptyOptions, ...one }),
    );
    expect(new Set([...digests, digest(text("a"))]).size).toBe(4);
  });
});

describe("a prompt of code or a command", () => {
  const prompt = { sessionId: session, parts: [text("Go")], reply: "wanted" } as const;

  test("waits without a message where it is queued; else its message has its own id, if that is one", () => {
    const row = (id: string | null, delivery: "queue" | "steer") => {
      const input = createOwnInput({ ...prompt, id, delivery }, "msg_fresh", 7);
      return [input.id, input.messageId, input.state];
    };
    expect(row(null, "queue")).toEqual(["msg_fresh", null, "waiting"]);
    expect(row("mine", "steer")).toEqual(["mine", "msg_fresh", "handed"]);
    expect(row("msg_1", "steer")).toEqual(["msg_1", "msg_1", "handed"]);
    expect(row("xmsg_1", "steer")).toEqual(["xmsg_1", "msg_fresh", "handed"]);
  });
});

describe("a prompt in chat.message", () => {
  function arriving(...parts: readonly Record<string, unknown>[]): ArrivingPrompt {
    const message = { id: "msg_1", agent: "build", model };
    const asked = { agent: null, model: null, variant: null };
    return { sessionId: session, message, parts: [...parts], asked };
  }
  const stored: StoredPrompt = resolvePrompt(
    arriving({ id: "p1", ...text("a") }, { id: "p2", ...text("b") }),
    "wanted",
  );
  const record = (promotedAtMs: number | null) => ({ promotedAtMs }) as InputRecord;
  const ids = (prompt: ArrivingPrompt) => prompt.parts.map(({ id }) => id);
  const put = (
    promotedAtMs: number | null,
    kept: StoredPrompt | null,
    saved: SavedMessage | null,
  ) => {
    const prompt = arriving({ id: "p9", ...text("other") });
    restoreStoredPrompt(prompt, record(promotedAtMs), kept, saved);
    return prompt;
  };

  test("is stored as the host resolves it", () => {
    expect(stored).toMatchObject({
      ...{ form: "resolved", reply: "wanted", agent: "build", model, variant: null },
      ...{ system: null, format: null },
    });
    const full = arriving();
    Object.assign(full.message, {
      system: "s",
      format: { type: "x" },
      model: { ...model, variant: "v" },
    });
    expect(resolvePrompt(full, "none")).toMatchObject({
      ...{ reply: "none", variant: "v", system: "s", format: { type: "x" } },
    });
    expect(createSteerInput(full, "/project", 7)).toMatchObject({
      ...{ id: "msg_1", messageId: "msg_1", delivery: "steer", state: "handed", admittedAtMs: 7 },
    });
  });

  test("that is tried again gets the stored parts that the host lacks, as its own", () => {
    const prompt = put(null, stored, null);
    expect(ids(prompt)).toEqual(["p1", "p2"]);
    expect(prompt.parts[0]).toMatchObject({ messageID: "msg_1", sessionID: session, text: "a" });
    expect(ids(put(null, stored, { info: {}, partIds: ["p1"] }))).toEqual(["p2"]);
  });

  test("that is whole already, or of which nothing is stored any more, adds nothing to what is saved", () => {
    const saved = { info: { agent: "plan" }, partIds: [] };
    const whole = put(5, stored, saved);
    expect([ids(whole), whole.message.agent]).toEqual([[], "plan"]);
    expect(ids(put(null, null, saved))).toEqual([]);
  });

  test("stays as it is where nothing of it is saved, and nothing resolved is stored", () => {
    expect(ids(put(null, null, null))).toEqual(["p9"]);
    expect(ids(put(null, { ...stored, form: "given" }, null))).toEqual(["p9"]);
    expect(ids(put(5, stored, null))).toEqual(["p1", "p2"]);
  });
});

test("a message is whole by the parts that came here, else by those that are stored", () => {
  const parts = [{ id: "p1" }, { id: "p2" }] as never;
  const inbox = {
    find: (id: string) => (id === "msg_1" ? { id: "row" } : null),
    prompt: () => ({ form: "resolved", parts: [{ id: "p1" }, { id: "p3" }] }),
  };
  const known = new LiveParts(() => inbox as never);
  known.keep("msg_1", [{ id: "p1" }, { id: "p2" }]);
  known.keep("msg_2", [{ id: "p3" }]);
  known.keep("msg_3", [{ id: 7 }]);
  expect(known.hasAllParts("msg_1", parts)).toBe(true);
  expect(known.hasAllParts("msg_2", parts)).toBe(false);
  expect(known.hasAllParts("msg_3", [{ id: "7" }] as never)).toBe(true);
  const unknown = new LiveParts(() => inbox as never);
  expect(unknown.hasAllParts("msg_1", parts)).toBe(false);
  expect(unknown.hasAllParts("msg_2", parts)).toBe(true);
});

test("nothing is found where every count is 0, whatever tools were cut off", () => {
  const none = { unsaved: 0, unanswered: 0, swallowed: 0, waiting: 0, tools: ["bash"], unread: 1 };
  expect(isEmpty(none)).toBe(true);
  for (const name of ["unsaved", "unanswered", "swallowed", "waiting"]) {
    expect(isEmpty({ ...none, [name]: 1 })).toBe(false);
    expect(isEmpty({ ...none, unsaved: 1, [name]: 1 })).toBe(false);
    expect(isEmpty({ ...none, unanswered: 1, [name]: 1 })).toBe(false);
    expect(isEmpty({ ...none, swallowed: 1, [name]: 1 })).toBe(false);
  }
});

describe("a turn that is to be stopped", () => {
  /** `activity`: at each look, the last one from then on. */
  function stage(...activity: readonly ("busy" | "idle")[]) {
    let looks = 0;
    let waitedMs = 0;
    const did: string[] = [];
    const host = {
      activity: async () => activity[Math.min(looks++, activity.length - 1)] ?? "idle",
      abort: async () => void did.push("abort"),
    };
    const later = (work: () => void, delayMs: number) => {
      waitedMs += delayMs;
      work();
    };
    const stop = (mayBegin: () => boolean) => stopTurn({ host, later } as never, session, mayBegin);
    return { did, stop, waitedMs: () => waitedMs };
  }

  test("is stopped, and waited for", async () => {
    const { did, stop, waitedMs } = stage("busy", "busy", "idle");
    expect(await stop(() => false)).toBe("stopped");
    expect([did, waitedMs()]).toEqual([["abort"], 50]);
  });

  test("is waited for where it is about to begin, and not where it isn't", async () => {
    expect(await stage("idle", "idle", "busy", "idle").stop(() => true)).toBe("stopped");
    const idle = stage("idle");
    expect(await idle.stop(() => false)).toBe("idle");
    expect([idle.did, idle.waitedMs()]).toEqual([[], 0]);
  });

  test("lingers where it doesn't end within ten seconds; one that never begins is none", async () => {
    const lingering = stage("busy");
    expect(await lingering.stop(() => false)).toBe("lingers");
    expect(lingering.waitedMs()).toBe(10_000);
    const never = stage("idle");
    expect(await never.stop(() => true)).toBe("idle");
    expect(never.waitedMs()).toBe(10_000);
  });
});
