import { afterEach, beforeEach, expect, test } from "bun:test";
import { Place } from "../../plugin/test/host/place.ts";
import { beginEdge } from "../src/edge.ts";
import type { PiApi, PiContext } from "../src/pi.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

/** Pi with these commands of the user's own; `input` answers what the extension did with a text. */
async function startPi(own: readonly string[]) {
  const handlers = new Map<string, (event: object, ctx: PiContext) => Promise<unknown>>();
  const registered: string[] = [];
  const notices: string[] = [];
  const api = {
    on: (name: string, handler: (event: object, ctx: PiContext) => Promise<unknown>) =>
      void handlers.set(name, handler),
    registerTool: () => undefined,
    registerCommand: (name: string) => void registered.push(name),
    getCommands: () => own.map((name) => ({ name, source: "prompt" })),
  } as unknown as PiApi;
  const ctx = {
    ...{ cwd: place.project, hasUI: true, model: undefined },
    ui: {
      notify: (text: string) => void notices.push(text),
      ...{ setStatus: () => undefined, setWidget: () => undefined },
    },
    modelRegistry: { getAvailable: () => [] },
    sessionManager: {
      ...{ getSessionId: () => "session-1", getHeader: () => ({}) },
      buildSessionProjection: () => ({ entries: [] }),
    },
  } as unknown as PiContext;
  beginEdge(api, { compact: async () => ({}) as never });
  const fire = (name: string, event: object) => handlers.get(name)?.(event, ctx);
  await fire("session_start", { reason: "startup" });
  const input = (text: string) => fire("input", { text, source: "interactive" });
  return { registered, notices, input, end: () => fire("session_shutdown", { reason: "quit" }) };
}

test("a former name of a command that is off says how to turn it on, and is in no list of Pi's", async () => {
  const { registered, notices, input, end } = await startPi([]);
  expect(registered).toContain("ctx-augment");
  expect(registered).not.toContain("ctx-aug");
  expect(await input("/ctx-aug Fix it")).toEqual({ action: "handled" });
  expect(notices).toEqual([expect.stringContaining('"augment": { "enabled": true }')]);
  await end();
});

test("a former name runs the command, with one notice that names the new one", async () => {
  place.write(
    "../config/opencode/session-runtime.json",
    JSON.stringify({ historian: { enabled: true }, history: { rewrite: "worth" } }),
  );
  const { registered, notices, input, end } = await startPi([]);
  expect(registered).toContain("ctx-resummarize");
  for (const _ of [1, 2]) {
    expect(await input("/ctx-recomp stop")).toEqual({ action: "handled" });
  }
  expect(notices.map((notice) => notice.split(/[.:;]/)[0])).toEqual([
    "/ctx-recomp is now called /ctx-resummarize",
    "There is nothing to stop",
    "There is nothing to stop",
  ]);
  await end();
});

test("a prompt template of the user's under a former name stays theirs", async () => {
  const { notices, input, end } = await startPi(["ctx-aug"]);
  expect(await input("/ctx-aug Fix it")).toBeUndefined();
  expect(notices).toEqual([]);
  await end();
});
