// Registers what the plugin does on OpenCode 2, each hook under a guard: what throws there stops a session.
import { homedir } from "node:os";
import { loadConfig } from "../config/load.ts";
import type { Feature } from "../features/feature.ts";
import { settingsSections } from "../features/settings-sections.ts";
import { inputSchema } from "../features/tool-schema.ts";
import { within } from "../sources/within.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Context, V2Tool } from "./context.ts";
import { Guard } from "./guard.ts";

/** Those whose part the host does not do itself. */
const OFFERED: ReadonlySet<string> = new Set([
  "history",
  "let-go",
  "recall",
  "memory",
  "continuity",
  "tool-output",
]);

/** The one command whose effect shows without an answer, as the host shows none. */
const FOLD = "ctx-fold";

/** The host waits for ever for a slow setup. */
const SETUP_MS = 2_000;

export async function beginEdge(
  ctx: V2Context,
  listed: readonly Feature[],
): Promise<() => Promise<void>> {
  const directory = directoryOf(ctx);
  const reading = loadConfig(settingsSections(listed), {
    directory,
    worktree: directory,
    options: ctx.options,
    env: process.env,
    home: homedir(),
  });
  const configured = await within(SETUP_MS, reading, () => null);
  if (!configured?.config.enabled) return async () => undefined;
  const features = listed.filter(
    ({ name, isOn }) => OFFERED.has(name) && (isOn?.(configured.config) ?? true),
  );
  const input = { directory, configured, listed, features };
  const guard = new Guard(async () => (await import("./instance.ts")).openInstance(input));
  const hooks = await registered(ctx, guard, features);
  return async () => {
    for (const hook of hooks) await hook.dispose();
    await guard.close();
  };
}

function directoryOf({ location }: V2Context): string {
  const directory = location?.directory;
  return typeof directory === "string" ? directory : process.cwd();
}

async function registered(
  { session, tool, command }: V2Context,
  guard: Guard,
  features: readonly Feature[],
) {
  const hooks = [
    await session.hook("context", async (event) => {
      const sent = await guard.run("context", (instance) => instance.projected(event));
      if (sent) event.messages = [...sent];
    }),
    await session.hook("compaction", async (event) => {
      const sent = await guard.run("compaction", (instance) => instance.compacting(event));
      if (sent) event.messages = [...sent];
    }),
  ];
  command?.transform((editor) => {
    const declared = features.flatMap(({ commands }) => commands ?? []);
    for (const { name, description } of declared.filter((one) => one.name === FOLD)) {
      const execute = async ({ sessionID }: { readonly sessionID: string }) =>
        void (await guard.run(FOLD, (instance) => instance.fold(sessionID)));
      editor.add({ name, description, execute });
    }
  });
  if (!tool) return hooks;
  const declared = features.flatMap(({ tools }) => tools ?? []);
  tool.transform((editor) => {
    for (const one of declared) editor.add(v2Tool(one, guard));
  });
  const settled = await tool.hook("execute.after", async (event) => {
    const result = await guard.run("tool-output", (instance) => instance.settled(event));
    if (result) event.result = result;
  });
  return [...hooks, settled];
}

function v2Tool(
  { name, description, args }: NonNullable<Feature["tools"]>[number],
  guard: Guard,
): V2Tool {
  return {
    name,
    description,
    input: inputSchema(args),
    options: { codemode: false },
    async execute(given, { sessionID, messageID, agent, signal }) {
      const { runTool } = await guard.opened();
      const call = {
        sessionId: sessionID as SessionId,
        messageId: messageID,
        agent,
        abort: signal,
      };
      return { content: (await runTool(name, given, call)).text };
    },
  };
}
