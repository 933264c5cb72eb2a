// Notices which MCP servers' tools came, went or changed.
import type { PluginInput } from "@opencode-ai/plugin";
import type { HostConfig } from "./host-config.ts";

/** The properties of events, for most of which the first SDK has no types. */
interface EventProperties {
  readonly server?: unknown;
  readonly status?: { readonly type?: unknown } | null;
}

/**
 * Watches the MCP servers whose tools the host offers. The host publishes events for changed lists and closed
 * connections; a server that is connected or disconnected by hand is noticed at the next turn's start.
 */
export class McpServers {
  #connected: ReadonlySet<string> | null = null;

  constructor(
    private readonly deps: {
      readonly client: PluginInput["client"];
      readonly hostConfig: HostConfig;
      /** Reports that this server's tools came, went or changed. */
      readonly changed: (server: string) => void;
      /** Reports that a server is no longer connected. */
      readonly gone: () => void;
    },
  ) {}

  async onEvent(event: { readonly type: string; readonly properties: unknown }): Promise<void> {
    const { server, status } = (event.properties ?? {}) as EventProperties;
    if (event.type === "mcp.tools.changed" && typeof server === "string") this.deps.changed(server);
    if (event.type === "session.status" && status?.type === "busy") await this.#checkServers();
  }

  async #checkServers(): Promise<void> {
    if (this.deps.hostConfig.countMcpServers() === 0) return;
    const { data } = await this.deps.client.mcp.status({ throwOnError: true });
    const connected = new Set(
      Object.entries(data).flatMap(([name, { status }]) => (status === "connected" ? [name] : [])),
    );
    const before = this.#connected;
    this.#connected = connected;
    if (before === null) return;
    for (const name of new Set([...connected, ...before])) {
      if (connected.has(name) !== before.has(name)) this.deps.changed(name);
    }
    if ([...before].some((name) => !connected.has(name))) this.deps.gone();
  }
}
