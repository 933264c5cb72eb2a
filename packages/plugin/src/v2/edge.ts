// Registers what the plugin does on OpenCode 2, each hook under a guard: what throws there stops a session.
import { homedir } from "node:os";
import { loadConfig } from "../config/load.ts";
import type { Feature } from "../features/feature.ts";
import { settingsSections } from "../features/settings-sections.ts";
import { argumentSchemas, requiredNames } from "../features/tool-schema.ts";
import { within } from "../sources/within.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Context, V2Tool } from "./context.ts";
import type { Instance } from "./instance.ts";

/** Those whose part the host does not do itself. */
const OFFERED: ReadonlySet<string> = new Set([
  "history",
  "let-go",
  "recall",
  "memory",
  "continuity",
  "tool-output",
]);

/** A slow hook delays the request, and the host waits for ever for a slow setup. */
const HOOK_MS = 5_000;
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
  let opening: Promise<Instance> | null = null;
  const opened = () => {
    opening ??= import("./instance.ts").then(({ openInstance }) => openInstance(input));
    return opening;
  };
  const hooks = await registered(ctx, { opened, features });
  return async () => {
    for (const hook of hooks) await hook.dispose();
    await (await opening)?.close();
  };
}

function directoryOf({ location }: V2Context): string {
  const directory = location?.directory;
  return typeof directory === "string" ? directory : process.cwd();
}

interface Begun {
  readonly opened: () => Promise<Instance>;
  readonly features: readonly Feature[];
}

async function registered({ session, tool }: V2Context, { opened, features }: Begun) {
  const hooks = [
    await session.hook("context", async (event) => {
      const sent = await guarded(opened, "context", (instance) => instance.projected(event));
      if (sent) event.messages = [...sent];
    }),
    await session.hook("compaction", async (event) => {
      const sent = await guarded(opened, "compaction", (instance) => instance.compacting(event));
      if (sent) event.messages = [...sent];
    }),
  ];
  if (!tool) return hooks;
  const declared = features.flatMap(({ tools }) => tools ?? []);
  tool.transform((editor) => {
    for (const one of declared) editor.add(v2Tool(one, opened));
  });
  const settled = await tool.hook("execute.after", async (event) => {
    const result = await guarded(opened, "tool-output", (instance) => instance.settled(event));
    if (result) event.result = result;
  });
  return [...hooks, settled];
}

function v2Tool(
  { name, description, args }: NonNullable<Feature["tools"]>[number],
  opened: Begun["opened"],
): V2Tool {
  return {
    name,
    description,
    input: { type: "object", properties: argumentSchemas(args), required: requiredNames(args) },
    options: { codemode: false },
    async execute(given, { sessionID, messageID, agent, signal }) {
      const { runTool } = await opened();
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

/** Null: the host's own stays, as nothing changes, or the work failed or took too long. */
async function guarded<T extends object>(
  opened: Begun["opened"],
  where: string,
  work: (instance: Instance) => Promise<T | null>,
): Promise<T | null> {
  let instance: Instance | null = null;
  try {
    const done = opened().then((open) => {
      instance = open;
      return work(open);
    });
    const made = await within(HOOK_MS, done, () => "late" as const);
    if (made !== "late") return made;
    throw new Error(`no answer within ${HOOK_MS} ms`);
  } catch (error) {
    report(instance, where, error);
    return null;
  }
}

/** Without an instance there is no log yet: the host's own is all that is left. */
function report(instance: Instance | null, where: string, error: unknown): void {
  if (instance) instance.failures.failed(where, error);
  else
    console.error(
      `Session Runtime could not be opened in ${where}; requests go as OpenCode makes them.`,
    );
}
