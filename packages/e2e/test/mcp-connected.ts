import type { Client } from "../src/client/client.ts";
import type { JsonObject } from "../src/json.ts";

/** Resolves once the host has this MCP server: one that has just started has it a little later. */
export async function mcpConnected(client: Client, name: string): Promise<void> {
  for (;;) {
    const servers = await client.request<Record<string, JsonObject>>("GET", "/mcp");
    if (servers[name]?.status === "connected") return;
    await Bun.sleep(50);
  }
}
