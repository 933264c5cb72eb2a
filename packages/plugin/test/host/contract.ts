// What an edge keeps, whatever its host: each edge's driver runs all of it.
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import type { Edit } from "../../src/ledger/edit.ts";
import { isTool } from "../../src/ledger/message.ts";
import { classifyHead, type SessionMessage } from "../../src/session/history.ts";
import type { Call, DrivenSession, HostDriver, SaidPart } from "./driver.ts";
import { seen } from "./probe.ts";
import { usePlace } from "./use-place.ts";

const SESSION: readonly SaidPart[] = [
  { by: "user", text: "Look at both." },
  {
    by: "model",
    blocks: [
      { type: "reasoning", text: "Which first?" },
      { type: "text", text: "I read." },
      { type: "read", path: "a.ts", outcome: "read", result: "const a = 1;" },
      { type: "read", path: "b.ts", outcome: "failed", result: "no such file" },
    ],
  },
  { by: "provider", refusal: "overloaded" },
  { by: "model", blocks: [{ type: "text", text: "One is missing." }] },
  { by: "user", text: "And now?" },
];

const USAGE = { inputTokens: 900, outputTokens: 40, cacheReadTokens: 50, cacheWriteTokens: 10 };
const BILLED = { input_tokens: 900, output_tokens: 40, paid_nanos: 2_000_000 };

const listIds = (rows: readonly SessionMessage[]) =>
  rows.map(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]);

const isPrefix = (former: Call, later: Call) =>
  former.system === later.system && later.sent.startsWith(former.sent.slice(0, -1));

/** Where a text stands among the messages of a request. */
const findTextIndex = ({ shown }: Call, text: string) =>
  shown.findIndex(({ parts }) => parts.some((part) => part.includes(text)));

const times = (call: Call, text: string) => call.sent.split(text).length - 1;

export function hostContract(driver: HostDriver): void {
  describe(`the port, by ${driver.host}`, () => {
    const used = usePlace();

    async function begun(said: readonly SaidPart[] = SESSION): Promise<DrivenSession> {
      const driven = used.kept(await driver.open(used.place));
      for (const one of said) driven.say(one);
      return driven;
    }

    test("prompts, answers and calls with their results come as rows, in the kernel's words", async () => {
      const session = await begun();
      await session.call();
      const { rows } = seen;
      expect(rows.map(({ info }) => info.sessionID)).toEqual(rows.map(() => session.sessionId));
      expect(rows.map(({ info }) => info.role)).toEqual([
        ...["user", "assistant", "assistant", "assistant", "user"],
      ] as never);
      const [prompt, looked, refused, answered] = rows;
      expect(prompt?.parts).toMatchObject([{ type: "text", text: "Look at both." }]);
      const calls = looked?.parts.filter(isTool);
      expect(calls).toMatchObject([
        {
          tool: "read",
          state: { status: "completed", input: { filePath: "a.ts" }, output: "const a = 1;" },
        },
        { tool: "read", state: { status: "error", input: { filePath: "b.ts" } } },
      ]);
      expect(looked?.parts.filter(({ type }) => type === "reasoning")).toHaveLength(1);
      expect(looked?.info).toMatchObject({ parentID: prompt?.info.id, finish: "tool-calls" });
      expect(refused?.info).toHaveProperty("error");
      expect(answered?.info).not.toHaveProperty("error");
      for (const { info } of rows.filter(({ info: { role } }) => role === "assistant")) {
        expect(info).toMatchObject({ providerID: driver.model.split("/")[0] as string });
      }
    });

    test("ids are unique, and the same in every later call and after a restart", async () => {
      const session = await begun();
      await session.call();
      const first = listIds(seen.rows);
      expect(new Set(first.flat()).size).toBe(first.flat().length);
      session.say({ by: "model", blocks: [{ type: "text", text: "Nothing." }] });
      session.say({ by: "user", text: "Once more." });
      await session.call();
      const later = listIds(seen.rows);
      expect(later.slice(0, first.length)).toEqual(first);
      expect(later).toHaveLength(first.length + 2);
      await used.kept(await session.restart()).call();
      expect(listIds(seen.rows)).toEqual(later);
    });

    test("a compaction is the head of the history, and the kernel knows its summary", async () => {
      const session = await begun();
      session.say({ by: "host", summary: "Two files were looked at." });
      session.say({ by: "user", text: "Go on." });
      await session.call();
      expect(classifyHead(seen.rows)).toMatchObject({
        kind: "compacted",
        summary: "Two files were looked at.",
      });
    });

    test("what nothing changes goes back byte for byte", async () => {
      const session = await begun();
      const { given, sent } = await session.call();
      expect(sent).toBe(given);
    });

    test("I1, I2: calls keep the prefix, over a restart too", async () => {
      const session = await begun();
      const first = await session.call();
      session.say({ by: "model", blocks: [{ type: "text", text: "Nothing." }] });
      session.say({ by: "user", text: "Once more." });
      const second = await session.call();
      expect(isPrefix(first, second)).toBe(true);
      const restarted = used.kept(await session.restart());
      const same = await restarted.call();
      expect([same.system, same.sent]).toEqual([second.system, second.sent]);
    });

    test("edits stand where the kernel puts them, and all else as the host has it", async () => {
      const work: SaidPart = {
        by: "model",
        blocks: [
          { type: "text", text: "I look for them." },
          { type: "read", path: "c.ts", outcome: "read", result: "const c = 3;" },
        ],
      };
      seen.wanted = ([prompt, searched, looked]) => {
        const at = (row: SessionMessage | undefined, type: string) => {
          const part = row?.parts.find((one) => one.type === type);
          return { messageId: row?.info.id ?? "", partId: part?.id ?? "" };
        };
        return [
          { verb: "insert", after: at(prompt, "text"), text: "Also: be short." },
          { verb: "omit", at: at(looked, "reasoning") },
          { verb: "replace", at: at(looked, "tool"), text: "[let go]" },
          { verb: "fold", first: id(searched), last: id(searched), text: "[folded]" },
        ] satisfies readonly Edit[];
      };
      const [asked, ...rest] = SESSION;
      const { shown } = await (await begun(asked ? [asked, work, ...rest] : [])).call();
      expect(shown).toEqual([
        { by: "user", parts: ["Look at both.", "Also: be short.", "[folded]"] },
        { by: "assistant", parts: ["I read.", "read: [let go]", "read: no such file"] },
        ...shown.slice(2, -2),
        { by: "assistant", parts: ["One is missing."] },
        { by: "user", parts: ["And now?"] },
      ]);
    });

    if (driver.standing === "ours") {
      test("standing facts are in the Baseline, and a change is announced once, after the prompt", async () => {
        const session = await begun();
        const first = await session.call();
        expect(first.system).toContain("Use tabs.");
        session.say({ by: "model", blocks: [{ type: "text", text: "Nothing." }] });
        used.place.write("AGENTS.md", "Use spaces.");
        session.say({ by: "user", text: "Once more." });
        const second = await session.call();
        expect(isPrefix(first, second)).toBe(true);
        expect(times(second, "Use spaces.")).toBe(1);
        expect(findTextIndex(second, "Use spaces.")).toBe(findTextIndex(second, "Once more."));
        const third = await used.kept(await session.restart()).call();
        expect(third.sent).toBe(second.sent);
      });
    }

    if (driver.forks === "keep ids") {
      test("a fork keeps the ids and the ledger: its first call continues its parent's prefix", async () => {
        const session = await begun();
        const first = await session.call();
        const ids = listIds(seen.rows);
        used.place.write("AGENTS.md", "Use spaces.");
        const fork = used.kept(await session.fork());
        fork.say({ by: "model", blocks: [{ type: "text", text: "Nothing." }] });
        fork.say({ by: "user", text: "Another way." });
        const forked = await fork.call();
        expect(fork.sessionId).not.toBe(session.sessionId);
        expect(listIds(seen.rows).slice(0, ids.length)).toEqual(ids);
        expect(isPrefix(first, forked)).toBe(true);
        expect(times(forked, "Use spaces.")).toBe(driver.standing === "ours" ? 1 : 0);
      });
    } else {
      test("I12: a fork's ids are its own, and nothing of its parent's ledger is laid over them", async () => {
        const session = await begun();
        seen.wanted = ([prompt]) => [
          {
            verb: "insert",
            after: { messageId: id(prompt), partId: prompt?.parts[0]?.id ?? "" },
            text: "[parent's own]",
          },
        ];
        expect(times(await session.call(), "[parent's own]")).toBe(1);
        const ids = new Set(listIds(seen.rows).flat());
        seen.wanted = () => [];
        const fork = used.kept(await session.fork());
        const { given, sent } = await fork.call();
        expect(sent).toBe(given);
        expect(
          listIds(seen.rows)
            .flat()
            .filter((one) => ids.has(one)),
        ).toEqual([]);
      });
    }

    test("usage counts once, with the price that the host names, however often the host reports it", async () => {
      const session = await begun();
      await session.call();
      session.say({ by: "model", blocks: [{ type: "text", text: "Nothing." }] });
      await session.bill(USAGE, 0.002);
      await session.bill(USAGE, 0.002);
      expect(used.place.turns()).toEqual([BILLED]);
      const billed = seen.happenings.filter(({ kind }) => kind === "billed");
      expect(billed[0]).toMatchObject({ sessionId: session.sessionId, usage: USAGE });
    });

    test("the next call is estimated from the usage of the last one, in the model's own window", async () => {
      const session = await begun();
      await session.call();
      session.say({ by: "model", blocks: [{ type: "text", text: "Nothing." }] });
      await session.bill({ ...USAGE, inputTokens: 41_000 }, 0.002);
      session.say({ by: "user", text: "Once more." });
      await session.call();
      expect(seen.space?.usableTokens).toBeGreaterThan(100_000);
      expect(seen.space?.estimatedTokens).toBeGreaterThan(41_000);
      expect(seen.space?.estimatedTokens).toBeLessThan(42_000);
    });

    test("what happens in the session is heard", async () => {
      const session = await begun();
      await session.call();
      for (const what of ["busy", "idle", "compacted"] as const) {
        await session.hear(what);
        expect(seen.happenings.at(-1)).toEqual({
          kind: what,
          sessionId: session.sessionId,
        } as never);
      }
    });

    test("I15: a database that can't be opened leaves the host's own request, and one notice", async () => {
      mkdirSync(used.place.database);
      const session = await begun();
      for (let call = 0; call < 2; call += 1) {
        const { given, sent } = await session.call();
        expect(sent).toBe(given);
      }
      expect(session.notices).toHaveLength(1);
    });

    test("I15: a part of ours that throws costs no request", async () => {
      seen.wanted = () => {
        throw new Error("boom");
      };
      const { given, sent } = await (await begun()).call();
      expect(sent).toBe(given);
    });

    const QUESTION = { system: "Sum up.", prompt: "All this.", maxOutputTokens: 100 };

    const whole = { type: "said", text: "Fine.", ending: "whole" } as const;

    if (driver.answers === "whole") {
      test("a job's question reaches the model with its limit, and comes back with text and figures", async () => {
        const { asked, reply } = await driver.ask(QUESTION, whole);
        expect(asked).toEqual(QUESTION);
        expect(reply).toEqual({
          kind: "text",
          text: "Fine.",
          ending: "whole",
          inputTokens: 7,
          outputTokens: 3,
        });
        const { reply: cut } = await driver.ask(QUESTION, { ...whole, ending: "cut" });
        expect(cut).toMatchObject({ kind: "text", ending: "cut" });
      });
    } else {
      test("a job's question reaches the model with its limit, and its text comes back with estimates", async () => {
        const { asked, reply } = await driver.ask(QUESTION, whole);
        for (const part of ["Sum up.", "All this.", "100"]) expect(asked.prompt).toContain(part);
        expect(reply).toMatchObject({ kind: "text", text: "Fine.", ending: "whole" });
        expect(reply.inputTokens).toBeGreaterThan(4);
        expect(reply.outputTokens).toBe(2);
      });
    }

    test("a job hears why there is no answer", async () => {
      const refused = (status: 400 | 429 | 503) =>
        driver.ask(QUESTION, { type: "refused", status });
      expect((await refused(429)).reply).toMatchObject({ kind: "error", code: "rate_limited" });
      expect((await refused(503)).reply).toMatchObject({ kind: "error", code: "unavailable" });
      expect((await refused(400)).reply).toMatchObject({ kind: "error", code: "refused" });
      const { reply } = await driver.ask(QUESTION, { type: "stopped" });
      expect(reply).toMatchObject({ kind: "error", code: "stopped" });
    });
  });
}

function id(row: SessionMessage | undefined): string {
  return row?.info.id ?? "";
}
