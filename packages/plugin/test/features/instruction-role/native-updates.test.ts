import { afterEach, beforeEach, expect, test } from "bun:test";
import type { CallTarget } from "../../../src/feature-api/feature-hooks.ts";
import { NativeLowering } from "../../../src/features/instruction-role/create-instruction-role.ts";
import { FormCache } from "../../../src/features/instruction-role/forms.ts";
import type { LoweringMode } from "../../../src/features/instruction-role/plan.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { projected, said, told, user, words, wrapped } from "./stage.ts";

const workspace = new Workspace();
const own = globalThis.fetch;
const opened: NativeLowering[] = [];
let database: RuntimeDatabase;
let bodies: string[] = [];

const entries = [told(2, "m1", "a", 7)];
const history = [said("m1", "user", "One")];
const opus: CallTarget = {
  providerId: "anthropic",
  apiId: "claude-opus-5",
  npm: "@ai-sdk/anthropic",
  baseUrl: "https://proxy.example/v1",
  fetch: "host",
};

beforeEach(() => {
  database = workspace.open(workspace.path());
  database.ledger.commit({ ...firstCommit(), entries });
  bodies = [];
  globalThis.fetch = Object.assign(
    async (_input: Parameters<typeof fetch>[0], init?: RequestInit) => {
      bodies.push(String(init?.body));
      return new Response("answer");
    },
    { preconnect: own.preconnect },
  );
});

afterEach(() => {
  for (const lowering of opened.splice(0)) lowering.close();
  globalThis.fetch = own;
});

function open(mode: LoweringMode): NativeLowering {
  const failed = (error: unknown) => {
    throw error;
  };
  const forms = new FormCache({ database: () => database, now: () => 0, storageFailed: failed });
  const lowering = new NativeLowering({
    mode,
    forms,
    fellBack: () => undefined,
    failed,
    worked: () => undefined,
  });
  opened.push(lowering);
  return lowering;
}

/** One call of the session, as chat.params and then the host's SDK see it. */
async function call(
  lowering: NativeLowering,
  change: Partial<CallTarget> = {},
  model = opus.apiId,
) {
  const messages = projected(entries, history);
  const to = { ...opus, ...change };
  lowering.prepare({
    sessionId: session,
    modelId: to.apiId,
    to,
    messages,
    entries,
    startedAtMs: 7,
  });
  const body = JSON.stringify({ model, messages: [user(words("One"), words(wrapped("a")))] });
  const headers = { "x-session-id": session };
  await fetch("https://proxy.example/v1/messages", { method: "POST", headers, body });
  return bodies.at(-1) === body ? "text" : "native";
}

test("M6: native under `native`, and so under any setting from then on", async () => {
  expect(await call(open("native"))).toBe("native");
  const first = bodies.at(-1);
  for (const mode of ["wrapped", "auto", "native"] as const) {
    expect(await call(open(mode))).toBe("native");
    expect(bodies.at(-1)).toBe(String(first));
  }
});

test("M6: text under `wrapped`, and the process's fetch is not touched", async () => {
  const before = globalThis.fetch;
  expect(await call(open("wrapped"))).toBe("text");
  expect(globalThis.fetch).toBe(before);
});

test("M6: `auto` asks for nothing at an address that is not the provider's own", async () => {
  expect(await call(open("auto"))).toBe("text");
  expect(await call(open("auto"), { baseUrl: null })).toBe("native");
});

test("M6: a request of another model, path or dialect passes as it is", async () => {
  const lowering = open("native");
  expect(await call(lowering, {}, "claude-haiku-5")).toBe("text");
  const body = JSON.stringify({
    model: opus.apiId,
    messages: [user(words("x"), words(wrapped("a")))],
  });
  for (const path of ["/v1/responses", "/v1/messages/count_tokens"]) {
    const headers = { "x-session-id": session };
    await fetch(`https://proxy.example${path}`, { method: "POST", headers, body });
    expect(bodies.at(-1)).toBe(body);
  }
});

test("M6: a call that may not be lowered takes the former call's plan away", async () => {
  const lowering = open("native");
  expect(await call(lowering)).toBe("native");
  expect(await call(lowering, { fetch: "own" })).toBe("text");
});
