import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  GlobalFetch,
  type SessionSend,
} from "../../../src/features/instruction-role/global-fetch.ts";

const own = globalThis.fetch;
let passed: (readonly [unknown, RequestInit | undefined])[] = [];

/** Stands in for the process's fetch. */
const inner: typeof fetch = Object.assign(
  async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    passed.push([input, init]);
    return new Response("inner");
  },
  { preconnect: own.preconnect },
);

beforeEach(() => {
  passed = [];
  globalThis.fetch = inner;
});
afterEach(() => {
  globalThis.fetch = own;
});

const of = (id: string, body = "{}") => ({
  method: "POST",
  body,
  headers: { "X-Session-Id": id },
});

const rewriting: SessionSend = (_request, send) => send("rewritten");

test("until a session needs it, and after it is closed, fetch is the process's own", () => {
  const hold = new GlobalFetch();
  expect(globalThis.fetch).toBe(inner);
  hold.set("ses_1", rewriting);
  expect(globalThis.fetch).not.toBe(inner);
  expect(globalThis.fetch.preconnect).toBe(inner.preconnect);
  hold.close();
  expect(globalThis.fetch).toBe(inner);
});

test("only a session's own requests with a text body are given to its sender", async () => {
  const hold = new GlobalFetch();
  hold.set("ses_1", rewriting);
  const other = of("ses_2");
  const bare = { method: "POST", body: "{}" };
  const binary = { ...of("ses_1"), body: new Uint8Array(2) };
  for (const init of [other, bare, binary, undefined]) {
    await fetch("http://localhost/v1/messages", init);
    expect(passed.pop()).toEqual(["http://localhost/v1/messages", init]);
  }
  await fetch(new URL("http://localhost/v1/messages"), of("ses_1"));
  expect(passed.pop()?.[1]).toEqual(of("ses_1", "rewritten"));
  hold.close();
});

test("a sender that declines lets the request pass as it is", async () => {
  const hold = new GlobalFetch();
  hold.set("ses_1", () => null);
  const init = of("ses_1");
  await fetch("http://localhost/v1/messages", init);
  expect(passed).toEqual([["http://localhost/v1/messages", init]]);
  hold.close();
});

test("two instances share one wrapper, and the last one takes it away", () => {
  const [one, other] = [new GlobalFetch(), new GlobalFetch()];
  one.set("ses_1", rewriting);
  const wrapper = globalThis.fetch;
  other.set("ses_2", rewriting);
  expect(globalThis.fetch).toBe(wrapper);
  one.close();
  expect(globalThis.fetch).toBe(wrapper);
  other.close();
  other.close();
  expect(globalThis.fetch).toBe(inner);
});

test("where another plugin has wrapped it since, it stays in place and passes everything", async () => {
  const hold = new GlobalFetch();
  hold.set("ses_1", rewriting);
  const ours = globalThis.fetch;
  globalThis.fetch = Object.assign((...args: Parameters<typeof fetch>) => ours(...args), {
    preconnect: own.preconnect,
  });
  hold.close();
  const init = of("ses_1");
  await fetch("http://localhost/", init);
  expect(passed).toEqual([["http://localhost/", init]]);
  // The next instance finds the wrapper in its place and does not wrap again.
  const next = new GlobalFetch();
  const outer = globalThis.fetch;
  next.set("ses_1", rewriting);
  expect(globalThis.fetch).toBe(outer);
  await fetch("http://localhost/", of("ses_1"));
  expect(passed[1]?.[1]?.body).toBe("rewritten");
  globalThis.fetch = ours;
  next.close();
});

test("a thousand sessions are not held for ever", async () => {
  const hold = new GlobalFetch();
  for (let index = 0; index < 1_000; index++) hold.set(`ses_${index}`, rewriting);
  await fetch("http://localhost/", of("ses_0"));
  await fetch("http://localhost/", of("ses_999"));
  expect(passed.map(([, init]) => init?.body)).toEqual(["{}", "rewritten"]);
  hold.remove("ses_999");
  await fetch("http://localhost/", of("ses_999"));
  expect(passed[2]?.[1]?.body).toBe("{}");
  hold.close();
});
