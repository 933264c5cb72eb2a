// The terminal UI's part on OpenCode 2, over a stand-in for its context and rpc.
import { describe, expect, test } from "bun:test";
import { isV2Tui, type ShownText, showScreen, type V2TuiContext } from "../../src/tui/v2-screen.ts";
import { CALM } from "./panel-status.ts";
import "./terminal.ts";

// Loaded after the terminal: all tests of a process have the one `solid-js` that was loaded first.
const { default: tui } = await import("../../tui.ts");

type HeardEvent = (event: unknown) => void;

function standIn(status: (sessionID: string) => Promise<unknown>) {
  const heard = new Map<string, Set<HeardEvent>>();
  const toasts: object[] = [];
  const alerts: object[] = [];
  const texts: ShownText[] = [];
  const gone: (() => void)[] = [];
  let render: ((input: { readonly sessionID: string }) => unknown) | null = null;
  const ctx: V2TuiContext = {
    client: {
      rpc: () => ({
        status: ({ sessionID }) => status(sessionID),
        events: {
          on(name, hear) {
            const all = heard.get(name) ?? new Set();
            heard.set(name, all.add(hear));
            return () => void all.delete(hear);
          },
        },
      }),
    },
    ui: {
      slot(claim) {
        render = claim.render;
        return () => {
          render = null;
        };
      },
      toast: { show: (toast) => void toasts.push(toast) },
      dialog: { alert: async (shown) => void alerts.push(shown) },
    },
  };
  const end = showScreen(ctx, {
    newText() {
      const text = { content: "", visible: false };
      texts.push(text);
      return text;
    },
    whenGone: (done) => void gone.push(done),
    nowMs: () => 1_000_000,
  });
  return {
    ...{ toasts, alerts, texts, gone, end },
    show: (sessionID: string) => render?.({ sessionID }),
    isShown: () => render !== null,
    listeners: () => [...heard.values()].reduce((sum, all) => sum + all.size, 0),
    async emit(name: string, event: object) {
      for (const hear of heard.get(name) ?? []) hear(event);
      await Bun.sleep(0);
    },
  };
}

describe("V8: the terminal UI's part on OpenCode 2", () => {
  test("its entry is one default export for both majors; on a host without slots `setup` does nothing", () => {
    expect(Object.keys(tui)).toEqual(["id", "tui", "setup"]);
    for (const ctx of [undefined, null, {}, { ui: {} }, { ui: { slot: 1 }, client: {} }]) {
      expect(isV2Tui(ctx)).toBe(false);
      expect(tui.setup(ctx)).toBeUndefined();
    }
  });

  test("shows a session's panel in the sidebar, and again when the session has changed", async () => {
    const asked: string[] = [];
    const host = standIn(async (sessionID) => {
      asked.push(sessionID);
      return { panel: JSON.stringify(CALM) };
    });
    host.show("ses_1");
    await Bun.sleep(0);
    expect(host.texts[0]?.visible).toBe(true);
    expect(host.texts[0]?.content).toStartWith("Session Runtime\n");
    await host.emit("changed", { sessionID: "ses_2" });
    await host.emit("changed", { data: { sessionID: "ses_1" } });
    expect(asked).toEqual(["ses_1", "ses_1"]);
  });

  test("shows nothing where the server's part has nothing, or is away", async () => {
    const nothing = standIn(async () => ({ panel: "null" }));
    nothing.show("ses_1");
    const away = standIn(() => Promise.reject(new Error("away")));
    away.show("ses_1");
    await Bun.sleep(0);
    expect([...nothing.texts, ...away.texts].map(({ visible }) => visible)).toEqual([false, false]);
  });

  test("shows a command's answer as a dialog, and a notice as a toast, without what could drive the terminal", async () => {
    const host = standIn(async () => ({}));
    await host.emit("answered", {
      sessionID: "ses_1",
      command: "ctx-note",
      text: "Stored.\u001b[2J",
    });
    await host.emit("noticed", { data: { text: "Look here.", severity: "warning" } });
    await host.emit("noticed", { text: "And here.", severity: "odd" });
    expect(JSON.stringify(host.alerts)).toContain('"title":"/ctx-note"');
    expect(JSON.stringify(host.alerts)).not.toContain("\\u001b");
    expect(host.toasts).toEqual([
      { title: "Session Runtime", message: "Look here.", variant: "warning" },
      { title: "Session Runtime", message: "And here.", variant: "info" },
    ]);
  });

  test("takes away all that it registered", async () => {
    const host = standIn(async () => ({}));
    host.show("ses_1");
    expect(host.listeners()).toBe(3);
    for (const done of host.gone) done();
    host.end();
    expect([host.listeners(), host.isShown()]).toEqual([0, false]);
  });
});
