// A terminal UI as the server's plugin sees one: it greets, and watches a session.
import { tmpdir } from "node:os";
import {
  readAddressFile,
  resolveChannelFolder,
} from "@session-runtime/opencode/tui-server/address-file";
import { createChannelClient } from "@session-runtime/opencode/tui-server/client";
import {
  formatGreeting,
  type GreeterId,
  parseAnnouncement,
} from "@session-runtime/opencode/tui-server/protocol";
import type { Client } from "../src/client/client.ts";
import type { Host } from "../src/host/host.ts";
import { isolatedEnvironment } from "../src/host/process.ts";

const ME = "c".repeat(32) as GreeterId;

/** Begins to watch the session; gives back what ends it. */
export async function watching(host: Host, client: Client, sessionId: string): Promise<() => void> {
  const events = await client.events();
  const answer = events.next(
    ({ type, properties }) =>
      type === "tui.command.execute" && parseAnnouncement(String(properties.command), ME) !== null,
  );
  const properties = { command: formatGreeting(ME) };
  await client.request("POST", "/tui/publish", { type: "tui.command.execute", properties });
  const id = parseAnnouncement(String((await answer).properties.command), ME);
  events.close();
  const variables = isolatedEnvironment(host.home);
  const folder = resolveChannelFolder({
    ...{ platform: process.platform, variables },
    homeDirectory: String(variables.HOME),
    temporaryDirectory: tmpdir(),
  });
  const found = id && readAddressFile(folder, id);
  if (found?.kind !== "found") throw new Error(`no channel was announced: ${found?.kind}`);
  const over = new AbortController();
  const open = Promise.withResolvers<void>();
  createChannelClient(found.address)
    .watch(sessionId, () => open.resolve(), over.signal)
    .catch((error) => open.reject(error));
  await open.promise;
  return () => over.abort();
}
