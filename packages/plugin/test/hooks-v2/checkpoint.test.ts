// A finished compaction of the host's as rows of the kernel, and as the one message again.
import { describe, expect, test } from "bun:test";
import type { V2ContextEvent, V2Message } from "../../src/hooks-v2/context.ts";
import { groupMessages, type MessageGroup } from "../../src/hooks-v2/rows.ts";
import { toSentMessages } from "../../src/hooks-v2/send.ts";
import { classifyHead } from "../../src/session/history.ts";

const CHECKPOINT =
  "<conversation-checkpoint>\n<summary>\nWhat was done.\n</summary>\n<recent-context>\nThe newest words.\n</recent-context>\n</conversation-checkpoint>";

const said = (id: string, text: string): V2Message => ({
  id,
  role: "user",
  content: [{ type: "text", text }],
});

const stored = new Map([["msg_1", { time: { created: 5 } }]]);

function groups(...messages: readonly V2Message[]): readonly MessageGroup[] {
  const event: V2ContextEvent = {
    sessionID: "ses_1",
    agent: "build",
    model: { id: "opus", providerID: "anthropic" },
    messages,
  };
  return groupMessages(event, stored) ?? [];
}

const listRows = (all: readonly MessageGroup[]) => all.map(({ row }) => row);

describe("a checkpoint at the head of a request", () => {
  const all = groups(said("msg_1", CHECKPOINT), said("msg_2", "Go on."));

  test("is a row that asked for a compaction, and its summary; what the host keeps beside it is nobody's words", () => {
    const [asked, summary, prompt] = listRows(all);
    expect(classifyHead(listRows(all))).toEqual({
      ...{ kind: "compacted", compactionId: "msg_1" },
      ...{ summaryId: "msg_1/summary", summary: "What was done." },
    });
    expect(asked?.parts.map(({ type }) => type)).toEqual(["compaction", "text"]);
    expect(asked?.parts[1]).toMatchObject({ synthetic: true });
    expect(JSON.stringify(asked?.parts[1])).toContain("The newest words.");
    expect(JSON.stringify(asked?.parts[1])).not.toContain("What was done.");
    expect(summary?.info).toMatchObject({ time: { created: 5 }, providerID: "anthropic" });
    expect(prompt?.info.id).toBe("msg_2");
  });

  test("goes back as the one message that it was, also where the kernel adds to the row that has none", () => {
    expect(toSentMessages(all, listRows(all)).map(({ id }) => id)).toEqual(["msg_1", "msg_2"]);
    const [asked, ...others] = listRows(all);
    const added = {
      id: "added",
      messageID: "msg_1",
      sessionID: "ses_1",
      type: "text",
      text: "New.",
    };
    const revised = { info: asked?.info, parts: [...(asked?.parts ?? []), added] };
    const sent = toSentMessages(all, [revised, ...others] as never);
    expect(sent.map(({ content }) => JSON.stringify(content))).toEqual([
      JSON.stringify([
        { type: "text", text: CHECKPOINT },
        { type: "text", text: "New." },
      ]),
      JSON.stringify([{ type: "text", text: "Go on." }]),
    ]);
  });

  test("goes back as the one message where the kernel takes from the row that has none", () => {
    const [asked, ...others] = listRows(all);
    const revised = { info: asked?.info, parts: asked?.parts.slice(0, 1) };
    expect(toSentMessages(all, [revised, ...others] as never).map(({ id }) => id)).toEqual([
      ...["msg_1", "msg_2"],
    ]);
  });

  test("is left out with all that a fold stands for", () => {
    const [, , prompt] = listRows(all);
    expect(toSentMessages(all, prompt ? [prompt] : [])).toEqual([said("msg_2", "Go on.")]);
  });
});

test("a checkpoint without a summary's tags is all summary; one that is not the first, or a model's, is none", () => {
  const bare = listRows(groups(said("msg_1", "<conversation-checkpoint>As before.")));
  expect(classifyHead(bare)).toMatchObject({ summary: "<conversation-checkpoint>As before." });
  expect(listRows(groups(said("msg_0", "Hello."), said("msg_1", CHECKPOINT)))).toHaveLength(2);
  const answer: V2Message = { ...said("msg_1", CHECKPOINT), role: "assistant" };
  expect(listRows(groups(answer))).toHaveLength(1);
});
