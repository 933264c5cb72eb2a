import { describe, expect, test } from "bun:test";
import type { PluginInput } from "@opencode-ai/plugin";
import { HostConfig } from "../../src/hooks/host-config.ts";
import { McpServers } from "../../src/hooks/mcp-servers.ts";

const busy = {
  type: "session.status",
  properties: { sessionID: "ses_1", status: { type: "busy" } },
};
const idle = {
  type: "session.status",
  properties: { sessionID: "ses_1", status: { type: "idle" } },
};

function stage(configured: readonly string[]) {
  const hostConfig = new HostConfig("/project");
  const mcp = Object.fromEntries(
    configured.map((name) => [name, { type: "remote" as const, url: "https://example.com" }]),
  );
  hostConfig.take({ mcp }, () => undefined);
  const statuses: Record<string, { readonly status: string }> = {};
  let looks = 0;
  const client = {
    mcp: {
      status: async () => {
        looks += 1;
        return { data: { ...statuses } };
      },
    },
  } as unknown as PluginInput["client"];
  const changed: string[] = [];
  let gone = 0;
  const servers = new McpServers({
    client,
    hostConfig,
    changed: (server) => changed.push(server),
    gone: () => {
      gone += 1;
    },
  });
  return { servers, statuses, changed, looks: () => looks, gone: () => gone };
}

describe("I1: MCP servers whose tools come, go or change", () => {
  test("are heard of where the host tells it", async () => {
    const { servers, changed } = stage(["search"]);
    await servers.onEvent({ type: "mcp.tools.changed", properties: { server: "search" } });
    expect(changed).toEqual(["search"]);
  });

  test("are seen at the start of a turn where one was connected or disconnected by hand", async () => {
    const { servers, statuses, changed, gone } = stage(["search", "wiki"]);
    statuses.search = { status: "connected" };
    statuses.wiki = { status: "failed" };
    await servers.onEvent(busy);
    expect(changed).toEqual([]);
    statuses.wiki = { status: "connected" };
    await servers.onEvent(busy);
    expect(gone()).toBe(0);
    statuses.search = { status: "disabled" };
    await servers.onEvent(busy);
    await servers.onEvent(busy);
    expect(changed).toEqual(["wiki", "search"]);
    expect(gone()).toBe(1);
  });

  test("are not asked for where none is configured, nor at a turn's end", async () => {
    const none = stage([]);
    await none.servers.onEvent(busy);
    expect(none.looks()).toBe(0);
    const one = stage(["search"]);
    await one.servers.onEvent(idle);
    expect(one.looks()).toBe(0);
  });
});
