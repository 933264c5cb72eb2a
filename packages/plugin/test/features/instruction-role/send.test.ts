import { beforeEach, describe, expect, test } from "bun:test";
import { FormCache } from "../../../src/features/instruction-role/forms.ts";
import type { LoweringPlan } from "../../../src/features/instruction-role/plan.ts";
import { type LoweringFailure, sendLowered } from "../../../src/features/instruction-role/send.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import type { FormOwner } from "../../../src/storage/form-store.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { assistant, standing, told, user, words, wrapped } from "./stage.ts";

const workspace = new Workspace();
const owner: FormOwner = { sessionId: session, providerId: "anthropic", modelId: "claude-opus-5" };

let path = "";
let database: RuntimeDatabase;
let sent: (string | null)[] = [];
let fallBacks: LoweringFailure[] = [];
let failures: unknown[] = [];
let statuses: number[] = [];

beforeEach(() => {
  path = workspace.path();
  database = workspace.open(path);
  database.ledger.commit({
    ...firstCommit(),
    entries: [told(2, "m1", "a"), told(3, "m3", "b"), told(4, "m5", "c")],
  });
  sent = [];
  fallBacks = [];
  failures = [];
  statuses = [];
});

/** One request: a conversation of turns that end with the news; `fresh` is the newest update. */
async function send(news: readonly string[], fresh: string | null, more: readonly object[] = []) {
  const updates = standing(...news);
  const messages = news.flatMap((name, index) => [
    ...(index > 0 ? [assistant(words("said"))] : []),
    user(words(`turn ${index}`), words(wrapped(name))),
  ]);
  const plan: LoweringPlan = {
    owner,
    family: "anthropic",
    apiId: "claude-opus-5",
    updates: updates.map((update) => ({
      ...update,
      age: update.text === wrapped(fresh ?? "") ? "fresh" : "sent",
    })),
  };
  const deps = {
    forms: new FormCache({
      database: () => database,
      now: () => 1_000,
      storageFailed: (error) => void failures.push(error),
    }),
    fellBack: (_plan: LoweringPlan, fallBack: LoweringFailure) => void fallBacks.push(fallBack),
    failed: (error: unknown) => void failures.push(error),
    worked: () => undefined,
  };
  const response = await sendLowered(deps, plan, {
    dialect: "anthropic",
    body: { messages: [...messages, ...more] },
    send: async (body) => {
      sent.push(body);
      return new Response("answer", { status: statuses.shift() ?? 200 });
    },
  });
  return response.status;
}

/** For each request: how many updates went in their own role; null: the host's own bytes. */
const natives = () => sent.map((body) => body && [...body.matchAll(/"role":"system"/g)].length);

const forms = () => Object.fromEntries(database.forms.of(owner));

describe("M6: the form is kept for ever", () => {
  test("I3, M6: a fresh update's form is on disk before it is sent", async () => {
    let stored: unknown = null;
    const original = sent.push.bind(sent);
    sent.push = (body) => {
      stored = forms();
      return original(body);
    };
    await send(["a"], "a");
    expect(stored).toEqual({ 2: "native" });
  });

  test("M6: after a restart it is sent as before, byte for byte", async () => {
    await send(["a", "b"], "b");
    await send(["a", "b"], null);
    const before = sent[1] ?? "";
    database.close();
    database = workspace.open(path);
    await send(["a", "b"], null);
    expect(sent[2]).toBe(before);
    expect(natives()).toEqual([1, 1, 1]);
    expect(forms()).toEqual({ 3: "native" });
  });

  test("M6: what was first sent as text, or to nobody, stays text", async () => {
    await send(["a"], null);
    expect(sent).toEqual([null]);
    expect(forms()).toEqual({});
  });

  test("M6: forms are per model", async () => {
    await send(["a"], "a");
    expect(database.forms.of({ ...owner, modelId: "claude-opus-6" }).size).toBe(0);
    expect(database.forms.of({ ...owner, providerId: "other" }).size).toBe(0);
  });

  test("M6: a provider's retry of the call sends the same bytes", async () => {
    statuses = [529, 200];
    expect(await send(["a"], "a")).toBe(529);
    await send(["a"], "a");
    expect(sent[1]).toBe(sent[0] ?? "");
  });
});

describe("M6: fall-back", () => {
  test("M6: a 400 has the call sent as text at once, and nothing asked again", async () => {
    statuses = [400, 200];
    expect(await send(["a"], "a")).toBe(200);
    expect(natives()).toEqual([1, null]);
    expect(forms()).toEqual({ 2: "wrapped" });
    expect(fallBacks).toEqual([{ why: "refused", updates: 1, sentBefore: 0 }]);
    await send(["a", "b"], "b");
    expect(natives()).toEqual([1, null, null]);
    expect(forms()).toEqual({ 2: "wrapped" });
  });

  test("M6: what was accepted before keeps its form if only the new one is refused", async () => {
    await send(["a"], "a");
    statuses = [400, 200];
    await send(["a", "b"], "b");
    expect(natives()).toEqual([1, 2, 1]);
    expect(sent[2]).toContain("News: a.");
    expect(forms()).toEqual({ 2: "native", 3: "wrapped" });
  });

  test("M6: if that is refused too, all of it is text", async () => {
    await send(["a"], "a");
    statuses = [400, 400, 200];
    await send(["a", "b"], "b");
    expect(natives()).toEqual([1, 2, 1, null]);
    expect(forms()).toEqual({ 2: "wrapped", 3: "wrapped" });
    expect(fallBacks).toEqual([{ why: "refused", updates: 2, sentBefore: 1 }]);
  });

  test("M6: a 400 for another reason comes through and changes no form", async () => {
    await send(["a"], "a");
    statuses = [400, 400];
    expect(await send(["a"], null)).toBe(400);
    expect(forms()).toEqual({ 2: "native" });
    expect(fallBacks).toEqual([]);
    await send(["a"], null);
    expect(natives().at(-1)).toBe(1);
  });

  test("M6: a failure of another kind on the way decides nothing", async () => {
    statuses = [400, 500];
    expect(await send(["a"], "a")).toBe(500);
    expect(forms()).toEqual({ 2: "native" });
  });

  test("M6: a later user message makes it text, and text it stays", async () => {
    await send(["a"], "a");
    await send(["a"], null, [user(words("and now?"))]);
    expect(natives()).toEqual([1, null]);
    expect(forms()).toEqual({ 2: "wrapped" });
    expect(fallBacks).toEqual([{ why: "place", updates: 1, sentBefore: 1 }]);
    await send(["a"], null);
    expect(natives()).toEqual([1, null, null]);
  });

  test("a network failure is the host's to see", async () => {
    const failing = sendLowered(
      {
        forms: new FormCache({
          database: () => database,
          now: () => 0,
          storageFailed: () => undefined,
        }),
        fellBack: () => undefined,
        failed: () => undefined,
        worked: () => undefined,
      },
      { owner, family: "anthropic", apiId: "x", updates: [] },
      { dialect: "anthropic", body: {}, send: () => Promise.reject(new TypeError("unplugged")) },
    );
    await expect(failing).rejects.toThrow("unplugged");
  });
});

describe("I15: when the database fails", () => {
  const broken = () => {
    throw new StorageError("locked", "locked");
  };

  test("I3, I15: what can't be stored goes as text, what is stored keeps its form", async () => {
    await send(["a"], "a");
    database = { ...database, forms: { ...database.forms, decide: broken } };
    await send(["a", "b"], "b");
    expect(natives()).toEqual([1, 1]);
    expect(sent[1]).toContain('"News: a."');
    expect(failures).toHaveLength(1);
  });

  test("I15: forms that can't be read: the call goes as the host made it", async () => {
    database = { ...database, forms: { of: broken, decide: broken, refusedSince: broken } };
    expect(await send(["a"], "a")).toBe(200);
    expect(sent).toEqual([null]);
  });

  test("I15: an error of ours never fails the request", async () => {
    database = {
      ...database,
      forms: {
        ...database.forms,
        get of(): never {
          throw new RangeError("a defect");
        },
      },
    };
    expect(await send(["a"], "a")).toBe(200);
    expect(failures).not.toEqual([]);
  });
});
