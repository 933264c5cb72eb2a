// The host's API for features, over the host's own client.
import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import type { HostApi } from "../feature-api/feature-context.ts";
import { hostOutputPlace } from "../features/tool-output/managed-files.ts";
import type { SessionId } from "../storage/records.ts";
import type { HostConfig } from "./host-config.ts";
import { inboxHost } from "./inbox-host.ts";
import { withTyped } from "./typed-text.ts";

export function createHostApi(client: PluginInput["client"], hostConfig: HostConfig): HostApi {
  return {
    async messages(sessionId, { count, timeoutMs }) {
      const { data } = await client.session.messages({
        path: { id: sessionId },
        query: { limit: count },
        signal: AbortSignal.timeout(timeoutMs),
        throwOnError: true,
      });
      return data.map(withTyped);
    },
    async parent(sessionId, { timeoutMs }) {
      const { data } = await client.session.get({
        path: { id: sessionId },
        signal: AbortSignal.timeout(timeoutMs),
        throwOnError: true,
      });
      return data.parentID === undefined ? null : (data.parentID as SessionId);
    },
    async todos(sessionId, { timeoutMs }) {
      const { data } = await client.session.todo({
        path: { id: sessionId },
        signal: AbortSignal.timeout(timeoutMs),
        throwOnError: true,
      });
      return data;
    },
    async rules(sessionId, agent, { timeoutMs }) {
      const asked = { signal: AbortSignal.timeout(timeoutMs), throwOnError: true } as const;
      const [agents, session] = await Promise.all([
        client.app.agents(asked),
        client.session.get({ path: { id: sessionId }, ...asked }),
      ]);
      const own = agents.data.find(({ name }) => name === agent);
      if (!own) throw new Error(`OpenCode lists no agent ${agent}.`);
      return [own, session.data].flatMap(listPermissions);
    },
    async publish(command) {
      const body = { type: "tui.command.execute", properties: { command } } as const;
      await client.tui.publish({ body, throwOnError: true });
    },
    prompts: inboxHost(client),
    outputLimits: () => hostConfig.outputLimits(),
    outputPlace: hostOutputPlace(process.env, homedir()),
    sendPrompt: null,
  };
}

/**
 * Lists permissions. The host's older types give them another shape; the actual value is a list (OpenCode
 * 1.18.33).
 */
function listPermissions(of: object): readonly unknown[] {
  const rules: unknown = Reflect.get(of, "permission");
  return rules === undefined ? [] : [rules].flat();
}
