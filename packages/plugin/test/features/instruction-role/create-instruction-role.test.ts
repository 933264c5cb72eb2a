import { afterEach, beforeEach, expect, test } from "bun:test";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import type { OutgoingCall } from "../../../src/feature-api/feature-hooks.ts";
import { createInstructionRoleFeature } from "../../../src/features/instruction-role/create-instruction-role.ts";
import { instructionRoleFeature } from "../../../src/features/instruction-role/feature.ts";
import type { Notice } from "../../../src/log/notices.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig } from "../../whole-config.ts";
import { projected, said, told, user, words, wrapped } from "./stage.ts";

const workspace = new Workspace();
const own = globalThis.fetch;
const featureInstances: FeatureInstance[] = [];
let statuses: number[] = [];
let bodies: string[] = [];

beforeEach(() => {
  statuses = [];
  bodies = [];
  globalThis.fetch = Object.assign(
    async (_input: Parameters<typeof fetch>[0], init?: RequestInit) => {
      bodies.push(String(init?.body));
      return new Response("answer", { status: statuses.shift() ?? 200 });
    },
    { preconnect: own.preconnect },
  );
});

afterEach(async () => {
  for (const feature of featureInstances.splice(0)) await feature.hooks?.closed?.();
  globalThis.fetch = own;
});

function opened(config: object = { lowering: "native" }) {
  const current = workspace.open(workspace.path());
  const entries = [told(2, "m1", "a", 7)];
  current.ledger.commit({ ...firstCommit(), entries });
  const logged: unknown[] = [];
  const notices: Notice[] = [];
  const failures: string[] = [];
  const fellBack: string[] = [];
  const database = { isThere: true };
  // What the feature uses of its context.
  const context = {
    config: parseConfig(config),
    database: {
      current: () => {
        if (!database.isThere) throw new TypeError("gone");
        return current;
      },
    },
    failures: {
      failed: (kind: string) => void failures.push(kind),
      worked: () => undefined,
      storageWorks: () => undefined,
    },
    log: { warn: (code: string, fields: object) => void logged.push({ code, ...fields }) },
    notices: { notice: (notice: Notice) => void notices.push(notice) },
  } as unknown as FeatureContext;
  const feature = createInstructionRoleFeature(context);
  featureInstances.push(feature);
  /** One call of the session, announced to the feature and then sent by the host. */
  const call = async (more: readonly object[] = [], baseUrl: string | null = null) => {
    const sending: Partial<OutgoingCall> = {
      ...{ sessionId: session, modelId: "claude-opus-5", entries, startedAtMs: 7 },
      messages: projected(entries, [said("m1", "user", "One")]),
      to: {
        ...{ providerId: "anthropic", apiId: "claude-opus-5", npm: "@ai-sdk/anthropic" },
        ...{ baseUrl, fetch: "host" as const },
      },
      fellBack: (model, why) => void fellBack.push(`${model} ${why}`),
    };
    await feature.hooks?.sending?.(sending as OutgoingCall);
    return await request(more);
  };
  return { feature, call, database, logged, notices, failures, fellBack };
}

/** Of the requests that it led to, how each had the update. */
async function request(more: readonly object[] = []): Promise<readonly string[]> {
  const before = bodies.length;
  const messages = [user(words("One"), words(wrapped("a"))), ...more];
  const body = JSON.stringify({ model: "claude-opus-5", messages });
  const headers = { "x-session-id": session };
  await fetch("https://api.anthropic.com/v1/messages", { method: "POST", headers, body });
  return bodies.slice(before).map((sent) => (sent === body ? "text" : "native"));
}

test("an update goes in the provider's own role where that is set", async () => {
  const { call, logged, notices } = opened();
  expect(await call()).toEqual(["native"]);
  expect([logged, notices]).toEqual([[], []]);
});

test.each([
  ["without a setting, at its maker's own address", {}, null, "native"],
  ["without a setting, at any other address", {}, "https://gateway.example/v1", "text"],
  ["where text is set", { lowering: "wrapped" }, null, "text"],
] as const)("M6: an update %s", async (_, config, baseUrl, form) => {
  expect(await opened(config).call([], baseUrl)).toEqual([form]);
});

test("what the provider refuses goes as text, which the user is shown once for the model", async () => {
  const { call, logged, notices, fellBack } = opened();
  statuses = [400, 200];
  expect(await call()).toEqual(["native", "text"]);
  const model = "anthropic/claude-opus-5";
  expect(logged).toEqual([
    { code: "lowering.fell_back", session, model, why: "refused", updates: 1 },
  ]);
  expect(notices.map(({ code, severity }) => [code, severity])).toEqual([
    [`lowering_refused:${model}`, "info"],
  ]);
  // Nobody had been sent it before: no prefix is lost.
  expect(fellBack).toEqual([]);
});

test("what an earlier call had sent so is reported to the call that loses its prefix", async () => {
  const { call, logged, notices, fellBack } = opened();
  await call();
  expect(await call([user(words("and now?"))])).toEqual(["text"]);
  expect(fellBack).toEqual(["anthropic/claude-opus-5 place"]);
  expect(logged).toMatchObject([{ code: "lowering.fell_back", why: "place", updates: 1 }]);
  // A later message of the user's is nothing that the provider refused.
  expect(notices).toEqual([]);
});

test("a session that is deleted is lowered no more", async () => {
  const { feature, call } = opened();
  await call();
  await feature.hooks?.onEvent?.({ kind: "deleted", sessionId: session });
  expect(await request()).toEqual(["text"]);
});

test("what else is heard of a session changes nothing", async () => {
  const { feature, call } = opened();
  await call();
  await feature.hooks?.onEvent?.({ kind: "compacted", sessionId: session } as never);
  expect(await request()).toEqual(["native"]);
});

test("closing gives the process its fetch back", async () => {
  const inner = globalThis.fetch;
  const { feature, call } = opened();
  await call();
  expect(globalThis.fetch).not.toBe(inner);
  await feature.hooks?.closed?.();
  expect(globalThis.fetch).toBe(inner);
});

test("a database that is gone is reported as storage, and a body that can't be read as lowering", async () => {
  const { call, database, failures } = opened();
  await call();
  await call();
  await fetch("https://api.anthropic.com/v1/messages", {
    ...{ method: "POST", headers: { "x-session-id": session }, body: "{" },
  });
  expect(failures).toEqual(["lowering"]);
  database.isThere = false;
  expect(await call()).toEqual(["native"]);
  expect(new Set(failures)).toEqual(new Set(["lowering", "storage"]));
});

test("it is in the list of features under its name, and opens such a feature", async () => {
  expect(instructionRoleFeature.name).toBe("lowering");
  expect(instructionRoleFeature.isOn?.(parseConfig({}))).toBeUndefined();
});
