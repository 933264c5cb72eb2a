import { describe, expect, test } from "bun:test";
import type {
  HistoryInfo,
  HistoryMessage,
  HistoryPart,
  StoredPrompt,
} from "../../../src/feature-api/prompt.ts";
import {
  isPromptComplete,
  isUnseen,
  readHistory,
  resolvePromptStatus,
} from "../../../src/features/inbox/prompt-status.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import { session } from "../../storage/records.ts";
import { createPrompt } from "./records.ts";

const text: HistoryPart = { type: "text" };

function user(id: string, ...parts: readonly HistoryPart[]): HistoryMessage {
  return { info: { id, role: "user" }, parts: parts.length > 0 ? parts : [text] };
}

function answer(
  parentID: string,
  info: Partial<HistoryInfo> = {},
  ...parts: readonly HistoryPart[]
): HistoryMessage {
  const id = `answer-${parentID}-${JSON.stringify(info)}`;
  return { info: { id, role: "assistant", parentID, finish: "stop", ...info }, parts };
}

const compaction = (id: string) => user(id, { type: "compaction" });
const summary = (parentID: string, info: Partial<HistoryInfo> = {}) =>
  answer(parentID, { summary: true, ...info });
const continuation = (id: string) => user(id, { type: "text", synthetic: true });

function input(messageId: string, state: InputRecord["state"] = "promoted"): InputRecord {
  return {
    sessionId: session,
    id: messageId,
    rank: 1,
    delivery: "steer",
    state,
    messageId,
    digest: "",
    preview: "",
    admittedAtMs: 1,
    promotedAtMs: state === "promoted" ? 2 : null,
  };
}

function standing(messages: readonly HistoryMessage[], id = "p", state?: InputRecord["state"]) {
  return resolvePromptStatus(input(id, state), null, readHistory(messages));
}

describe("a prompt is answered", () => {
  test("by a finished assistant whose parent it is", () => {
    expect(standing([user("p"), answer("p")])).toBe("answered");
  });

  test("by the answer to a later prompt of the same batch", () => {
    const messages = [user("p"), user("q"), answer("q")];
    expect(standing(messages)).toBe("answered");
    expect(standing(messages, "q")).toBe("answered");
  });

  test("by the answer after its tools, and after a compaction in the middle of its work", () => {
    const work = [user("p"), answer("p", { finish: "tool-calls" })];
    expect(standing([...work, answer("p")])).toBe("answered");
    const compacted = [...work, compaction("c"), summary("c"), continuation("k")];
    expect(standing(compacted)).toBe("unanswered");
    expect(standing([...compacted, answer("k")])).toBe("answered");
  });

  test("by a structured answer, whatever its finish", () => {
    expect(standing([user("p"), answer("p", { finish: "tool-calls", structured: {} })])).toBe(
      "answered",
    );
  });

  test("G9: by the answer to the copy that the host makes on overflow", () => {
    const failed = answer("p", { finish: undefined, error: { name: "ContextOverflowError" } });
    const messages = [user("p"), failed, compaction("c"), summary("c"), user("copy")];
    expect(standing(messages)).toBe("unanswered");
    expect(standing([...messages, answer("copy")])).toBe("answered");
  });
});

describe("a prompt is not answered", () => {
  test("by an assistant before it, one without a finish, one with an error, or one that calls tools", () => {
    for (const info of [
      { finish: undefined },
      { finish: "tool-calls" },
      { finish: "unknown" },
      { error: { name: "APIError" } },
    ]) {
      expect(standing([user("p"), answer("p", info)])).toBe("unanswered");
    }
    expect(standing([user("o"), answer("o"), user("p")])).toBe("unanswered");
  });

  test("by an answer to the prompt before it, made while it waited", () => {
    const messages = [user("o"), user("p"), answer("o")];
    expect(standing(messages)).toBe("unanswered");
    expect(standing(messages, "o")).toBe("answered");
  });

  test("by an assistant that stopped while a tool of its has no result", () => {
    const tool = { type: "tool", tool: "bash", state: { status: "running" } };
    expect(standing([user("p"), answer("p", {}, tool)])).toBe("unanswered");
  });

  test("G9: by the summary that a repeated compaction hangs on it: it is swallowed", () => {
    const failed = [compaction("c"), summary("c", { error: { name: "APIError" } })];
    expect(standing([...failed, user("p"), summary("p")])).toBe("swallowed");
    const gone = [...failed, user("p"), summary("p"), continuation("k"), answer("k")];
    expect(standing(gone)).toBe("swallowed");
    expect(standing([...gone, user("q"), answer("q")])).toBe("answered");
  });

  test("by a summary that failed", () => {
    expect(standing([user("p"), summary("p", { error: { name: "APIError" } })])).toBe("unanswered");
  });
});

describe("a prompt that is not in the history", () => {
  test("was never saved, or was taken back if it had been there", () => {
    expect(standing([], "p", "handed")).toBe("unsaved");
    expect(standing([], "p", "refused")).toBe("unsaved");
    expect(standing([], "p", "saved")).toBe("undone");
    expect(standing([], "p", "promoted")).toBe("undone");
  });
});

describe("a prompt of which the host saved the row and not all parts", () => {
  const prompt: StoredPrompt = {
    ...createPrompt(""),
    form: "resolved",
    parts: [
      { id: "prt_1", type: "text", text: "Look at" },
      { id: "prt_2", type: "file", url: "file:///x" },
    ],
  };
  const part = (id: string) => ({ id, type: "text" });
  const row = (...parts: readonly HistoryPart[]): HistoryMessage => ({
    info: { id: "p", role: "user" },
    parts,
  });
  const of = (state: InputRecord["state"], ...messages: readonly HistoryMessage[]) =>
    resolvePromptStatus(input("p", state), prompt, readHistory(messages));

  test("is whole when every stored part is there, by id, whatever else is", () => {
    expect(isPromptComplete([part("prt_1"), part("prt_2")], prompt)).toBe(true);
    expect(isPromptComplete([part("prt_2"), part("prt_0"), part("prt_1")], prompt)).toBe(true);
    expect(isPromptComplete([part("prt_1")], prompt)).toBe(false);
    expect(isPromptComplete([], prompt)).toBe(false);
    // Reminders that the host adds in memory make nothing whole.
    expect(isPromptComplete([part("prt_1"), part("prt_reminder")], prompt)).toBe(false);
  });

  test("is counted where no ids were stored", () => {
    const given = createPrompt("Hello");
    expect(isPromptComplete([], given)).toBe(false);
    expect(isPromptComplete([part("prt_any")], given)).toBe(true);
  });

  test("is unsaved while no call went by it: the rest is put in its place", () => {
    for (const state of ["handed", "refused"] as const) {
      expect(of(state, row())).toBe("unsaved");
      expect(of(state, user("o"), answer("o"), row(part("prt_1")))).toBe("unsaved");
      expect(of(state, row(part("prt_1"), part("prt_2")))).toBe("unanswered");
    }
  });

  test("I16: is torn when a later call went by it, and never answered", () => {
    expect(of("handed", row(), user("q"), answer("q"))).toBe("torn");
    expect(of("handed", row(part("prt_1")), answer("p"))).toBe("torn");
    expect(of("handed", row(), user("q"), answer("q", { error: { name: "APIError" } }))).toBe(
      "torn",
    );
    expect(of("handed", row(part("prt_1"), part("prt_2")), answer("p"))).toBe("answered");
  });
});

describe("the newest turn", () => {
  test("ends clean, interrupted, failed or unfinished", () => {
    const end = (...messages: readonly HistoryMessage[]) => readHistory(messages).end;
    expect(end()).toBe("clean");
    expect(end(user("p"), answer("p"))).toBe("clean");
    expect(end(user("p"), answer("p", { error: { name: "MessageAbortedError" } }))).toBe(
      "interrupted",
    );
    expect(end(user("p"), answer("p", { error: { name: "APIError" } }))).toBe("failed");
    expect(end(user("p"), answer("p", { finish: undefined }))).toBe("unfinished");
  });

  test("names the tools that were cut off, each once", () => {
    const tool = (name: string, status: string) => ({
      type: "tool",
      tool: name,
      state: { status },
    });
    const parts = [
      tool("bash", "running"),
      tool("bash", "pending"),
      tool("read", "completed"),
      tool("edit", "pending"),
    ];
    const { openTools } = readHistory([user("p"), answer("p", { finish: undefined }, ...parts)]);
    expect(openTools).toEqual(["bash", "edit"]);
  });
});

describe("what a history says of its prompts", () => {
  const said = (...messages: readonly HistoryMessage[]) => {
    const { answered, swallowed, passed } = readHistory(messages);
    return [[...answered].join(), [...swallowed].join(), [...passed].join()];
  };

  test("an answer to nobody answers nothing", () => {
    expect(said(user("p"), answer("nobody"))).toEqual(["", "", "p"]);
  });

  test("a summary swallows a prompt that it answers, and not the row that asked for it", () => {
    expect(said(user("p"), summary("p"))).toEqual(["", "p", "p"]);
    for (const asked of [compaction("c"), user("c", text, { type: "compaction" })]) {
      expect(said(user("p"), asked, summary("c"))).toEqual(["", "", "p,c"]);
    }
  });

  test("a prompt of which no part is saved is a prompt, and no continuation of the host's", () => {
    const torn: HistoryMessage = { info: { id: "p", role: "user" }, parts: [] };
    expect(said(torn, summary("p"))[1]).toBe("p");
    expect(said(user("o"), summary("o"), torn, answer("p"))[0]).toBe("o,p");
  });

  test("the answer after a compaction is one to all but what was swallowed", () => {
    const messages = [user("p"), summary("p"), user("q"), continuation("k"), answer("k")];
    expect(said(...messages).slice(0, 2)).toEqual(["q,k", "p"]);
  });

  test("each prompt has the answer of its own turn", () => {
    expect(said(user("p"), user("q"), answer("p"))[0]).toBe("p");
    expect(said(user("p"), user("q"), answer("p"), answer("q"))[0]).toBe("p,q");
  });

  test("what no assistant's message follows was not passed", () => {
    expect(said(user("p"), user("q"))[2]).toBe("");
    expect(said(user("p"), answer("p"), user("q"), user("r"))[2]).toBe("p");
  });
});

describe("a turn's tools and end", () => {
  const tool = (status?: string, name?: string): HistoryPart =>
    ({ type: "tool", ...(name && { tool: name }), ...(status && { state: { status } }) }) as never;
  const turn = (info: Partial<HistoryInfo>, ...parts: readonly HistoryPart[]) => {
    const { answered, end, openTools } = readHistory([user("p"), answer("p", info, ...parts)]);
    return [answered.has("p"), end, [...openTools]];
  };

  test("an answer is none while a tool of it is open, and none of its other parts matters", () => {
    expect(turn({}, text, tool("completed", "bash"), tool())).toEqual([true, "clean", []]);
    for (const status of ["pending", "running"]) {
      const open = [text, tool(status, "bash"), tool(status, "bash"), tool(status)];
      expect(turn({}, ...open)).toEqual([false, "unfinished", ["bash"]]);
    }
  });

  test("an error is an interruption by its name alone, whatever it is", () => {
    const end = (error: unknown) => turn({ error } as never)[1];
    expect(end({ name: "MessageAbortedError" })).toBe("interrupted");
    for (const error of [{ name: "APIError" }, {}, "MessageAbortedError", 7, [null]]) {
      expect(end(error)).toBe("failed");
    }
  });

  test("a prompt with a part of the user's own is no continuation", () => {
    const mixed = user("k", { type: "text", synthetic: true }, text);
    const { swallowed } = readHistory([mixed, summary("k")]);
    expect([...swallowed]).toEqual(["k"]);
  });

  test("what was handed over or turned back was not seen whole yet", () => {
    const states = ["waiting", "handed", "refused", "saved", "promoted"] as const;
    expect(states.filter((state) => isUnseen(input("p", state)))).toEqual(["handed", "refused"]);
  });
});
