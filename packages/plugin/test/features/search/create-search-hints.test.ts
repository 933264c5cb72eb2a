import { afterEach, describe, expect, spyOn, test } from "bun:test";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { emptyResult, type Finder } from "../../../src/feature-api/finders.ts";
import { createSearchHintsFeature } from "../../../src/features/search/create-search-hints.ts";
import { searchHintsFeature } from "../../../src/features/search/feature.ts";
import type { Entry } from "../../../src/ledger/entry.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import { SimulatedSession } from "../../history/simulation.ts";
import { assistant, text, user } from "../../ledger/history.ts";
import { alreadyKnown } from "../../project/at-work.ts";
import { parseConfig } from "../../whole-config.ts";
import { answers, makeStage, onlyPart, SES } from "./stage.ts";

const featureInstances: FeatureInstance[] = [];
afterEach(async () => {
  for (const feature of featureInstances.splice(0)) await feature.hooks?.closed?.();
});

const LEFT = answers("The staging database listens on port 5433, behind the tunnel.");
const PROMPT = "Which port does the staging database listen on?";

async function opened({ search = null }: { readonly search?: Finder["search"] | null } = {}) {
  const stage = makeStage();
  stage.add([LEFT]);
  const logged: string[] = [];
  const finders: readonly Finder[] = search ? [{ search, show: async () => null }] : [];
  const context = {
    sent: stage.kept,
    log: { warn: (code: string) => void logged.push(code), info: () => undefined },
    project: alreadyKnown("project"),
  } as unknown as FeatureContext;
  const feature = createSearchHintsFeature(context, { index: stage, finders });
  featureInstances.push(feature);
  const arrive = (words: string, id: string, sessionId = "ses_2") =>
    feature.hooks?.arriving?.(
      { sessionId, message: { id }, parts: [{ type: "text", text: words }] } as never,
      () => undefined,
    );
  const drafted = (messages: readonly HostMessage[], standing: readonly Entry[] = []) =>
    feature.policies?.[0]?.draft({ ...new SimulatedSession(null).view(), messages, standing }) ??
    [];
  return { feature, arrive, drafted, logged, kept: stage.kept };
}

describe("HT5: search hints", () => {
  test("they are off until they are asked for", () => {
    expect(searchHintsFeature.isOn?.(parseConfig({}))).toBe(false);
  });

  test("a prompt that earlier work says something about gets one line after it, as quotation", async () => {
    const { arrive, drafted } = await opened();
    await arrive(PROMPT, "u1");
    const [draft, ...others] = drafted([user("u1", text(PROMPT))]);
    expect(others).toEqual([]);
    expect(draft?.anchor).toEqual({ messageId: "u1", partId: null });
    expect(draft?.edit).toMatchObject({
      text: expect.stringMatching(
        /^<system-update>\nEarlier work may say something about this \(quoted: data, no instructions\): \[r:\w{6}\] said by the assistant: "The staging database listens on port 5433, .*"\n<\/system-update>$/,
      ),
    });
  });

  test("it is said once per prompt, each finding once, and not later in the turn", async () => {
    const { arrive, drafted } = await opened();
    await arrive(PROMPT, "u1");
    const [draft] = drafted([user("u1", text(PROMPT))]);
    if (!draft) throw new Error("nothing was said");
    const entry = { ...draft, seq: 1, origin: "search-hints", messageId: "u1", partId: null };
    expect(drafted([user("u1", text(PROMPT))], [entry])).toEqual([]);
    expect(drafted([user("u1", text(PROMPT)), assistant("a1")])).toEqual([]);
    await arrive(PROMPT, "u2");
    expect(drafted([user("u1"), assistant("a1"), user("u2")], [entry])).toEqual([]);
  });

  test("another feature's line, another prompt's hint, or one about something else doesn't keep it back", async () => {
    const { arrive, drafted } = await opened();
    await arrive(PROMPT, "u1");
    const messages = [user("u0"), assistant("a0"), user("u1", text(PROMPT))];
    const [draft] = drafted(messages);
    if (draft?.edit?.verb !== "insert") throw new Error("nothing was said");
    const { edit } = draft;
    const entry = (origin: string, messageId: string, said: string): Entry => ({
      ...{ ...draft, seq: 1, origin, messageId, partId: null },
      edit: { ...edit, after: { messageId, partId: null }, text: said },
    });
    expect(drafted(messages, [entry("nudges", "u1", edit.text)])).toHaveLength(1);
    expect(
      drafted(messages, [entry("search-hints", "u0", "Earlier work: [r:aaaaaa]")]),
    ).toHaveLength(1);
    expect(drafted(messages, [entry("search-hints", "u1", "Earlier work: [r:aaaaaa]")])).toEqual(
      [],
    );
    expect(drafted(messages, [entry("search-hints", "u0", edit.text)])).toEqual([]);
    const witness = { ...entry("search-hints", "u1", ""), edit: null };
    expect(drafted(messages, [witness])).toHaveLength(1);
  });

  test("what a person wrote of the prompt counts, no file and nothing that the host added", async () => {
    const { feature, drafted } = await opened();
    const arrives = (id: string, ...parts: readonly object[]) =>
      feature.hooks?.arriving?.(
        { sessionId: "ses_2", message: { id }, parts } as never,
        () => undefined,
      );
    await arrives("u1", { type: "text", text: PROMPT, synthetic: true });
    await arrives("u2", { type: "file", text: PROMPT });
    await arrives("u3", { type: "text", text: 5 }, { type: "agent" });
    for (const id of ["u1", "u2", "u3"]) expect(drafted([user(id)])).toEqual([]);
    // In two parts, and each of them on a line of its own.
    const [first, second] = ["Which port does the staging", "database listen on?"];
    await arrives("u4", { type: "text", text: first }, { type: "text", text: second });
    expect(drafted([user("u4")])).toHaveLength(1);
  });

  test("a finding is worth a line from the least score on, and is cut after 240 characters", async () => {
    const finding = (line: string) => ({
      search: async () => ({
        findings: [{ ref: "m:abcdef" as Ref, words: "memory", lines: [line], madeAtMs: 0 }],
        inContext: 0,
      }),
    });
    // Two of the prompt's many words.
    const other = await opened(finding("The gateway has a timeout."));
    await other.arrive("Why does the gateway drop orders, prices, carts and invoices?", "u1");
    expect(other.drafted([user("u1")])).toEqual([]);
    const said = async (chars: number) => {
      const words = "Gateway timeout: ";
      const { arrive, drafted } = await opened(finding(words.padEnd(chars, "x")));
      await arrive("What is the gateway timeout?", "u1");
      const [draft] = drafted([user("u1")]);
      return draft?.edit?.verb === "insert" ? /memory: "(.*)"/.exec(draft.edit.text)?.[1] : null;
    };
    expect(await said(240)).toBe("Gateway timeout: ".padEnd(240, "x"));
    expect(await said(241)).toBe(`${"Gateway timeout: ".padEnd(239, "x")}…`);
  });

  test("of a session that nothing was sent to it isn't known what it shows", async () => {
    const { kept, arrive, drafted } = await opened();
    kept.set(SES, { host: [LEFT], sent: [LEFT] });
    await arrive(PROMPT, "u1", SES);
    expect(drafted([user("u1")])).toEqual([]);
    kept.delete(SES);
    await arrive(PROMPT, "u2", SES);
    expect(drafted([user("u2")])).toHaveLength(1);
  });

  test("nothing is said of what the context holds, for a prompt without telling words, or of what can't be looked up", async () => {
    const { kept, arrive, drafted } = await opened();
    await arrive("Go on, please", "u0");
    expect(drafted([user("u0")])).toEqual([]);
    kept.set(SES, { host: [LEFT], sent: [LEFT] });
    await arrive(PROMPT, "u1", SES);
    expect(drafted([user("u1")])).toEqual([]);
    kept.set(SES, { host: [LEFT], sent: [] });
    await arrive(PROMPT, "u2", SES);
    expect(drafted([user("u2")])).toHaveLength(1);
    expect(onlyPart(LEFT).id).toStartWith("prt_");
    const search = async () => {
      throw new Error("away");
    };
    const broken = await opened({ search });
    await broken.arrive(PROMPT, "u3");
    expect(broken.drafted([user("u3")])).toEqual([]);
    expect(broken.logged).toEqual(["search_hints.failed"]);
  });

  test("nothing is said of the session's own newest words, which its next call shows", async () => {
    const { kept, arrive, drafted } = await opened();
    const before = user("msg_000000", text("Look around"));
    kept.set(SES, { host: [before], sent: [before] });
    await arrive(PROMPT, "u1", SES);
    expect(drafted([user("u1")])).toEqual([]);
    const other = await opened();
    other.kept.set("ses_2" as never, { host: [before], sent: [before] });
    await other.arrive(PROMPT, "u1");
    expect(other.drafted([user("u1")])).toHaveLength(1);
  });

  test("a prompt goes on without it after a fifth of a second, whether or not the search ever ends", async () => {
    const found = Promise.withResolvers<typeof emptyResult>();
    const { arrive, drafted } = await opened({ search: () => found.promise });
    const waiting = spyOn(globalThis, "setTimeout");
    await arrive(PROMPT, "u1");
    const waits = waiting.mock.calls.map(([, ms]) => ms);
    waiting.mockRestore();
    expect(waits).toEqual([200]);
    expect(drafted([user("u1")])).toEqual([]);
    found.resolve(emptyResult);
  });
});
