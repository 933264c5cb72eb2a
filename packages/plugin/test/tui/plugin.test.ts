// The terminal UI's part in a host: its panel, its row, its commands, and what it hears of a server.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ShownQueue } from "../../src/feature-api/screen.ts";
import type { PanelStatus } from "../../src/status/panel.ts";
import { type Channel, openChannel } from "../../src/tui-server/channel.ts";
import { formatAnswer, formatShowCommand, parseGreeter } from "../../src/tui-server/protocol.ts";
import { CALM, WARNING } from "./panel-status.ts";
import { Terminal } from "./terminal.ts";

// Loaded after the terminal, which gives it what the host gives.
const { showTerminalUi } = await import("../../src/tui/plugin.ts");

const QUEUE: ShownQueue = {
  ...{ activity: "busy", waiting: [{ id: "a", text: "Do this", files: 0 }], length: 1 },
};
const features = [
  {
    name: "test",
    open: async () => ({}),
    commands: [
      { name: "ctx-queue", title: "Queue", description: "List what waits", shows: "queue" },
      { name: "ctx-resume", title: "Resume", description: "Continue", shows: "answer" },
      { name: "ctx-memory", title: "Memory", description: "List memories", shows: "report" },
    ],
  },
] as const;

let root: string;
let terminal: Terminal;
let before: string | undefined;
const channels: Channel[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "session-runtime-tui-"));
  before = process.env.SESSION_RUNTIME_DB;
  process.env.SESSION_RUNTIME_DB = join(root, "runtime.db");
  terminal = await Terminal.open();
});

afterEach(() => {
  terminal.close();
  for (const channel of channels.splice(0)) channel.close();
  if (before === undefined) delete process.env.SESSION_RUNTIME_DB;
  else process.env.SESSION_RUNTIME_DB = before;
  rmSync(root, { recursive: true });
});

/** A server's plugin that shows this status, and answers whoever greets. */
async function serve(status: { now: PanelStatus }): Promise<Channel> {
  const channel = await openChannel({
    folder: join(root, "channels"),
    isRunning: () => true,
    worked: () => undefined,
    failed: (error) => {
      throw error;
    },
    content: {
      opened: () => undefined,
      status: async () => status.now,
      report: async ({ report }) => ({ text: `The report of ${report}.` }),
      queue: async () => QUEUE,
    },
  });
  channels.push(channel);
  const greeter = parseGreeter(terminal.published.at(-1) ?? "");
  if (!greeter) throw new Error("Nobody was greeted.");
  terminal.emit("tui.command.execute", { command: formatAnswer(channel.id, greeter) });
  return channel;
}

function begin(): void {
  showTerminalUi(terminal.api, features);
}

/** Puts the sidebar's panel, or the row at the bottom, on the screen. */
function place(slot: "sidebar_content" | "app_bottom"): void {
  const make = terminal.slots[0]?.slots[slot];
  if (!make) throw new Error("The slot is not registered.");
  terminal.rooted(() => terminal.show(make()));
}

function run(name: string): void {
  const command = terminal.commands.get(name);
  if (!command) throw new Error(`There is no ${name}.`);
  command.run();
}

const palette = (name: string) => `session-runtime.palette.${name}`;

describe("what stands on the screen", () => {
  test("is nothing until the server has answered, then its status, in the sidebar or below all", async () => {
    begin();
    expect(terminal.slots.map(({ order }) => order)).toEqual([150]);
    place("app_bottom");
    expect(await terminal.lines()).toEqual([]);
    const status = { now: { ...CALM, cache: { ...CALM.cache, calls: 3 } } };
    const channel = await serve(status);
    expect(await terminal.says("%")).toHaveLength(1);
    place("sidebar_content");
    const lines = await terminal.says("Session Runtime");
    expect(lines).toContain("Session Runtime");
    // There is one place for each thing that is said.
    expect(lines.some((line) => line.includes("updated"))).toBe(false);
    status.now = { ...CALM, inbox: { waiting: 2, unread: 0, unanswered: 0, refused: 0 } };
    channel.changed("ses_one");
    await terminal.says("2 prompts");
  });

  test("is another session's no longer when the user has gone elsewhere", async () => {
    const [route, go] = terminal.signal({ name: "session", params: { sessionID: "ses_one" } });
    terminal.route = {
      get current() {
        return route();
      },
    };
    begin();
    place("sidebar_content");
    await serve({ now: CALM });
    await terminal.says("Session Runtime");
    go({ name: "session", params: { sessionID: "ses_two" } });
    expect((await terminal.lines()).join()).not.toContain("Session Runtime");
    go({ name: "home", params: { sessionID: "ses_one" } });
    run(palette("ctx-resume"));
    expect(terminal.toasts).toEqual([{ variant: "warning", message: "Open a session first." }]);
  });

  test("says that the server is gone, and shows its last status until it is back", async () => {
    begin();
    place("sidebar_content");
    const channel = await serve({ now: CALM });
    await terminal.says("Session Runtime");
    channel.close();
    const lines = await terminal.says("The server does not answer; looking for it again.");
    expect(lines.some((line) => line.includes("94%"))).toBe(true);
    terminal.emit("server.connected", {});
    await serve({ now: { ...CALM, sections: ["Memory: 3 facts"] } });
    await terminal.says("Memory: 3 facts");
  });
});

describe("toasts", () => {
  test("are shown for warnings that nobody has shown here, each once", async () => {
    begin();
    terminal.emit("tui.toast.show", { message: "It is listed twice. Remove one entry." });
    const status = { now: { ...CALM, warnings: [WARNING] } };
    const channel = await serve(status);
    place("sidebar_content");
    await terminal.says("Session Runtime");
    expect(terminal.toasts).toEqual([]);
    const notice = "Two prompts\u001b wait.";
    status.now = { ...status.now, notice };
    channel.changed("ses_one");
    while (terminal.toasts.length === 0) await Bun.sleep(5);
    const message = "Two prompts\\x1b wait.";
    expect(terminal.toasts).toEqual([{ variant: "warning", message, title: "Session Runtime" }]);
  });

  test("of a server that has come back begin from its own first status", async () => {
    begin();
    const status = { now: CALM };
    await serve(status);
    place("sidebar_content");
    await terminal.says("Session Runtime");
    terminal.emit("server.connected", {});
    await serve({ now: { ...CALM, warnings: [WARNING] } });
    while (terminal.toasts.length === 0) await Bun.sleep(5);
    expect(terminal.toasts[0]?.message).toBe("It is listed twice. Remove one entry.");
  });
});

describe("the commands", () => {
  test("are all in the palette, those that are off with what turns them on", async () => {
    begin();
    const listed = () =>
      ["ctx-queue", "ctx-memory"].map((name) => terminal.commands.get(palette(name)));
    expect(listed()).toMatchObject([
      { title: "Queue", desc: "List what waits", category: "Session Runtime" },
      { title: "Memory", desc: "List memories" },
    ]);
    await serve({ now: { ...CALM, off: [["ctx-memory", '"memory": {}']] } });
    place("sidebar_content");
    await terminal.says("Session Runtime");
    expect(listed()[1]?.desc).toBe('Off: turn it on with "memory": {}');
    run(palette("ctx-memory"));
    await terminal.says("/ctx-memory is turned off in your settings.");
    await terminal.says("Session Runtime: memory");
  });

  test("open a report or the queue, and the server may open the same for the session on screen", async () => {
    begin();
    const shows = formatShowCommand("ctx-queue", "ses_one");
    expect(terminal.commands.has(shows)).toBe(false);
    run(palette("ctx-queue"));
    const message = "The server has not answered yet. Try again in a moment.";
    expect(terminal.toasts).toEqual([{ variant: "warning", message }]);
    run(palette("ctx-status"));
    await terminal.says("The server has not answered yet.");
    terminal.closeDialog();
    await serve({ now: CALM });
    while (!terminal.commands.has(shows)) await Bun.sleep(5);
    run(palette("ctx-status"));
    expect(await terminal.says("The report of ctx-status.")).toContain("Session Runtime: status");
    run(shows);
    await terminal.says("› 1  Do this");
    terminal.closeDialog();
    run(palette("ctx-queue"));
    await terminal.says("› 1  Do this");
    expect(terminal.toasts).toHaveLength(1);
  });

  test("that answer are run by the host's own route; what went wrong is a toast", async () => {
    begin();
    run(palette("ctx-resume"));
    while (terminal.ran.length === 0) await Bun.sleep(5);
    expect(terminal.ran).toEqual([{ command: "ctx-resume", arguments: "" }]);
    terminal.ends = () => new Error("no\u001b host");
    run(palette("ctx-resume"));
    while (terminal.toasts.length === 0) await Bun.sleep(5);
    expect(terminal.toasts).toEqual([{ variant: "error", message: "no\\x1b host" }]);
  });

  test("and all else end with the host's disposal of them", async () => {
    begin();
    await serve({ now: CALM });
    while (!terminal.commands.has(formatShowCommand("ctx-status", "ses_one"))) await Bun.sleep(5);
    terminal.close();
    expect(terminal.commands.size).toBe(0);
    while ((channels[0]?.watchers("ses_one") ?? 0) > 0) await Bun.sleep(5);
    terminal = await Terminal.open();
  });
});
