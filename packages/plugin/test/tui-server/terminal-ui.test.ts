import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChannelContent } from "../../src/feature-api/screen.ts";
import type { FailureReporter } from "../../src/log/fault.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { readAddressFile } from "../../src/tui-server/address-file.ts";
import { createChannelClient } from "../../src/tui-server/client.ts";
import {
  formatGreeting,
  formatShowCommand,
  type GreeterId,
  parseAnnouncement,
} from "../../src/tui-server/protocol.ts";
import { TerminalUi } from "../../src/tui-server/terminal-ui.ts";

const ME = "a".repeat(32) as GreeterId;
const SESSION = "ses_one" as SessionId;
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

/** The server's side, with a bus that keeps what is published. */
function stand() {
  const root = mkdtempSync(join(tmpdir(), "session-runtime-tui-"));
  const published: string[] = [];
  const opened: string[] = [];
  const ui = new TerminalUi({
    publish: async (command) => void published.push(command),
    surroundings: {
      platform: "linux",
      homeDirectory: root,
      temporaryDirectory: tmpdir(),
      variables: { SESSION_RUNTIME_DB: join(root, "runtime.db") },
    },
  });
  const content: ChannelContent = {
    opened: (sessionId) => void opened.push(sessionId),
    status: async (sessionId) => ({ sessionId }),
    report: async ({ report }) => ({ text: report }),
    queue: async () => ({ activity: "idle", waiting: [], length: 0 }),
  };
  const failures: FailureReporter = {
    failed: (where, error) => {
      throw new Error(`${where}: ${error}`);
    },
    worked: () => undefined,
    storageWorks: () => undefined,
  };
  cleanups.push(
    () => rmSync(root, { recursive: true }),
    () => ui.close(),
  );
  const folder = join(root, "channels");
  const served = { content, failures };
  const greet = () => ui.onGreeted(formatGreeting(ME), served);
  const watch = async () => {
    const id = parseAnnouncement(published.at(-1) ?? "", ME);
    const found = id && readAddressFile(folder, id);
    if (found?.kind !== "found") throw new Error("no channel was announced");
    let changes = 0;
    const over = new AbortController();
    const open = Promise.withResolvers<void>();
    const ended = createChannelClient(found.address).watch(
      SESSION,
      () => {
        changes += 1;
        open.resolve();
      },
      over.signal,
    );
    cleanups.push(() => over.abort());
    ended.catch(() => changes);
    await open.promise;
    return { changes: () => changes, leave: () => over.abort() };
  };
  return { ui, published, opened, folder, served, greet, watch };
}

test("without a greeting nothing listens and nothing is written, whatever happens", async () => {
  const { ui, published, folder, served } = stand();
  await ui.onGreeted("session.list", served);
  ui.changed(SESSION);
  expect(await ui.show("ctx-status", SESSION)).toBe("nobody looks");
  expect(published).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test("each greeting is answered to its greeter, by one channel for all", async () => {
  const { ui, published, folder, served, greet } = stand();
  await Promise.all([greet(), greet()]);
  const other = "b".repeat(32) as GreeterId;
  await ui.onGreeted(formatGreeting(other), served);
  expect(new Set(published.slice(0, 2)).size).toBe(1);
  expect(parseAnnouncement(published[2] ?? "", ME)).toBeNull();
  expect(parseAnnouncement(published[2] ?? "", other)).toBe(
    parseAnnouncement(published[0] ?? "", ME),
  );
  expect(readdirSync(folder)).toHaveLength(1);
});

test("a report opens where a terminal UI shows the session, and nowhere once it has left", async () => {
  const { ui, published, greet, watch } = stand();
  await greet();
  expect(await ui.show("ctx-brief", SESSION)).toBe("nobody looks");
  const watching = await watch();
  expect(await ui.show("ctx-brief", SESSION)).toBe("shown");
  expect(published.at(-1)).toBe(formatShowCommand("ctx-brief", SESSION));
  expect(await ui.show("ctx-queue", SESSION)).toBe("shown");
  expect(published.at(-1)).toBe(formatShowCommand("ctx-queue", SESSION));
  expect(await ui.show("ctx-brief", "ses_two" as SessionId)).toBe("nobody looks");
  watching.leave();
  while ((await ui.show("ctx-brief", SESSION)) === "shown") await Bun.sleep(5);
});

test("whoever begins to show a session is reported, once", async () => {
  const { ui, opened, greet, watch } = stand();
  await greet();
  expect(opened).toEqual([]);
  await watch();
  ui.changed(SESSION);
  expect(opened).toEqual([SESSION]);
});

test("TU1: a change of the session's status is passed on to who shows it", async () => {
  const { ui, greet, watch } = stand();
  await greet();
  const watching = await watch();
  ui.changed("ses_two");
  ui.changed(SESSION);
  while (watching.changes() < 2) await Bun.sleep(5);
  expect(watching.changes()).toBe(2);
});

test("closed, it takes its address away; a greeting after that begins anew", async () => {
  const { ui, published, folder, greet } = stand();
  await greet();
  ui.close();
  expect(readdirSync(folder)).toEqual([]);
  await greet();
  expect(published[1]).not.toBe(published[0]);
});

test("closed while it opens, it leaves no address behind", async () => {
  const { ui, folder, greet } = stand();
  const greeting = greet();
  ui.close();
  await greeting;
  expect(readdirSync(folder)).toEqual([]);
});

test("one that can't open says so to its greeter, and tries again at the next greeting", async () => {
  const { ui, published, folder, greet } = stand();
  writeFileSync(folder, "in the way");
  await expect(greet()).rejects.toThrow();
  const greeting = greet();
  ui.close();
  await expect(greeting).rejects.toThrow();
  rmSync(folder);
  await greet();
  expect(published).toHaveLength(1);
});

test("it serves what it was greeted with, and reports what fails there", async () => {
  const { ui, published, folder, served } = stand();
  const failed: string[] = [];
  const content: ChannelContent = {
    ...served.content,
    status: async (sessionId) => ({ shownSession: sessionId }),
    queue: () => Promise.reject(new Error("no queue")),
  };
  const failures = {
    failed: (where: string, error: unknown) => failed.push(`${where}: ${error}`),
    worked: () => undefined,
    storageWorks: () => undefined,
  };
  await ui.onGreeted(formatGreeting(ME), { content, failures });
  const id = parseAnnouncement(published[0] ?? "", ME);
  const found = id && readAddressFile(folder, id);
  if (found?.kind !== "found") throw new Error("no channel was announced");
  const client = createChannelClient(found.address);
  expect(await client.status(SESSION)).toEqual({ shownSession: SESSION });
  await expect(client.queue(SESSION)).rejects.toThrow("500");
  expect(failed).toEqual(["channel: Error: no queue"]);
});
