// The check of each request's body against what was decided for it, alone and on the stand-in.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { toFields } from "../../src/context/fields.ts";
import type { V2Message } from "../../src/hooks-v2/context.ts";
import { WireCheck } from "../../src/hooks-v2/wire-check.ts";
import plugin from "../../src/index.ts";
import type { SessionId } from "../../src/storage/records.ts";
import type { V2Plugin } from "./host.ts";
import { ownFolder, readingModel, standIn } from "./stage.ts";

const SESSION = "ses_1" as SessionId;
const said = (text: string): V2Message => ({ role: "user", content: [{ type: "text", text }] });
const result = (value: string): V2Message => ({
  role: "tool",
  content: [{ type: "tool-result", id: "a", name: "read", result: { type: "text", value } }],
});

interface UndoneCheck {
  messages: readonly V2Message[];
}

function checked(sent: readonly V2Message[], host: readonly V2Message[], body: object): string {
  const differing: string[] = [];
  const check = new WireCheck({
    differed: () => differing.push("differs"),
    asDecided: () => undefined,
  });
  check.recordDecision(SESSION, sent, host);
  check.checkBody(SESSION, JSON.stringify(body));
  const text = check.section(undefined as never)(SESSION, 0, null)?.text ?? "";
  return `${differing.length} differ: ${text}`;
}

describe("a body is what was decided", () => {
  const kept = said("The host's own.");
  const ours = [said("A fold."), kept, result("A stub.")];

  test("where each text of ours is in it, in order, in whatever shape the provider has", () => {
    const body = {
      model: "x",
      messages: [
        { role: "user", content: "A fold.\nThe host's own." },
        { role: "user", parts: [{ functionResponse: { response: { output: "A stub." } } }] },
      ],
    };
    expect(checked(ours, [kept], body)).toBe(
      "0 differ: 1 of 1 request went out exactly as decided.",
    );
  });

  test("and not where one is missing, or comes before another", () => {
    const missing = { messages: ["A fold.", "The host's own.", "What it was before."] };
    expect(checked(ours, [kept], missing)).toStartWith("1 differ: 0 of 1 request");
    const swapped = { messages: ["A stub.", "A fold."] };
    expect(checked(ours, [kept], swapped)).toStartWith("1 differ");
  });

  test("what the host sends by itself is none of our business", () => {
    expect(checked([kept], [kept], { messages: [] })).toStartWith("0 differ: 1 of 1");
  });

  test("the same text twice has to be there twice", () => {
    const twice = [said("Again."), said("Again.")];
    expect(checked(twice, [], { messages: ["Again."] })).toStartWith("1 differ");
    expect(checked(twice, [], { messages: ["Again. Again."] })).toStartWith("0 differ");
  });

  test("spaces around a text, and texts of spaces alone, say nothing", () => {
    expect(checked([said(" A. \n"), said("  ")], [], { text: "A." })).toStartWith("0 differ");
  });

  test("each request counts once, and /ctx-status has in short how many differ", () => {
    const differing: string[] = [];
    const check = new WireCheck({
      differed: () => differing.push("differs"),
      asDecided: () => undefined,
    });
    const read = () => check.section(undefined as never)(SESSION, 0, null);
    for (const body of ['{"a":["A."]}', '{"a":"B."}', '{"a":null}', '{"a":{"b":["x","- A."]}}']) {
      check.recordDecision(SESSION, [said("A.")], []);
      check.checkBody(SESSION, body);
      check.checkBody(SESSION, "{}");
    }
    expect(read()).toEqual({
      label: "Wire",
      text: "2 of 4 requests went out exactly as decided.",
      short: "2 requests differ",
    });
    expect(differing).toEqual(["differs", "differs"]);
    expect(check.section(undefined as never)("ses_other" as SessionId, 0, null)).toBeNull();
  });

  test("a result of any shape counts by its texts, a call's input doesn't", () => {
    const value = [{ text: "One." }, { data: 7 }, "Two."];
    const parts = [
      { type: "tool-call", id: "a", name: "read", input: { path: "p" } },
      { type: "tool-result", id: "a", name: "read", result: { type: "content", value } },
    ];
    const message = { role: "tool", content: parts } as unknown as V2Message;
    expect(checked([message], [], { text: ["One.", "Two."] })).toStartWith("0 differ");
    expect(checked([message], [], { text: ["One."] })).toStartWith("1 differ");
  });

  test("requests are as decided again when no session's newest one differs", () => {
    let again = 0;
    const check = new WireCheck({
      differed: () => undefined,
      asDecided: () => {
        again += 1;
      },
    });
    const sends = (sessionId: SessionId, text: string) => {
      check.recordDecision(sessionId, [said("A.")], []);
      check.checkBody(sessionId, JSON.stringify({ text }));
      return again;
    };
    const other = "ses_other" as SessionId;
    expect([sends(SESSION, "A."), sends(SESSION, "B."), sends(other, "B.")]).toEqual([0, 0, 0]);
    expect([sends(SESSION, "A."), sends(other, "A."), sends(other, "A.")]).toEqual([0, 1, 1]);
  });

  test("a body that is no JSON, and a request that nobody showed, were not looked at", () => {
    const check = new WireCheck({ differed: () => undefined, asDecided: () => undefined });
    const text = () => check.section(undefined as never)(SESSION, 0, null)?.text ?? null;
    expect(text()).toBeNull();
    check.recordDecision(SESSION, [said("A.")], []);
    check.checkBody(SESSION, "event: x");
    check.checkBody("ses_other" as SessionId, "{}");
    expect(text()).toStartWith("none of 1 request could be checked");
  });
});

describe("V9: on the stand-in", () => {
  let folder: ReturnType<typeof ownFolder>;
  beforeEach(() => {
    folder = ownFolder();
  });
  afterEach(() => folder.remove());

  async function statusWith(...plugins: readonly V2Plugin[]): Promise<string> {
    const host = standIn(plugins, readingModel(3));
    for (let turn = 0; turn < 13; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
    await host.command("ses_1", "ctx-status");
    const { data } = host.registry.emitted.findLast(({ name }) => name === "answered") ?? {};
    await host.close();
    expect(host.failed).toEqual([]);
    return String(toFields(data).text);
  }

  test("/ctx-status says that each request had what was decided", async () => {
    expect(await statusWith(plugin)).toMatch(/Wire +52 of 52 requests went out exactly as decided/);
  });

  test("a plugin after ours that takes our edits back is found: in /ctx-status, with one notice", async () => {
    const undoing: V2Plugin = {
      id: "undoing",
      async setup(ctx) {
        const { session } = ctx as {
          readonly session: {
            hook(name: string, run: (event: UndoneCheck) => void): Promise<unknown>;
          };
        };
        await session.hook("context", (event) => {
          event.messages = event.messages.map((message) => ({
            ...message,
            content: message.content.filter(
              (part) => !JSON.stringify(part).includes("<session-history>"),
            ),
          }));
        });
      },
    };
    const status = await statusWith(plugin, undoing);
    expect(status).not.toContain("52 of 52 requests");
    expect(status.replaceAll(/\s+/g, " ")).toContain(
      "A request went out without a part of what Session Runtime had put into it",
    );
  });
});
