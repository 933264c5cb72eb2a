// Registers what the plugin does on OpenCode 2, each hook under a guard: what throws there stops a session.
import { declaredCommands } from "../features/declared-commands.ts";
import type { Feature } from "../features/feature.ts";
import { inputSchema } from "../features/tool-schema.ts";
import { NO_OWN_FOLDERS, readBeginning } from "../instance/beginning.ts";
import { OpeningGuard } from "../instance/opening-guard.ts";
import { within } from "../sources/within.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Context, V2HttpEvent, V2Tool } from "./context.ts";
import { heardIn } from "./heard.ts";
import type { V2Instance } from "./instance.ts";
import { V2Screen } from "./screen.ts";

/**
 * Rooms that OpenCode 2 has no place for: its inbox is its own, what a prompt's own command would send goes
 * through it, and its requests are reached otherwise.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["inbox", "augment", "lowering"]);

type Guard = OpeningGuard<V2Instance>;

/** The host waits for ever for a slow setup. */
const SETUP_MS = 2_000;

export async function beginEdge(
  ctx: V2Context,
  listed: readonly Feature[],
): Promise<() => Promise<void>> {
  const directory = directoryOf(ctx);
  const place = {
    directory,
    worktree: directory,
    options: ctx.options,
    leftOut: LEFT_OUT,
    ownFolders: NO_OWN_FOLDERS,
  };
  const beginning = await within(SETUP_MS, readBeginning(listed, place), () => null);
  if (!beginning) return async () => undefined;
  const { features } = beginning;
  const screen = new V2Screen();
  const input = { ctx, directory, beginning, screen };
  const guard: Guard = new OpeningGuard({
    open: async () => (await import("./instance.ts")).openV2(input),
    // There is no log yet: the host shows what is written to its error output.
    refused: (_where, error) => console.error(unopened(error)),
  });
  const hooks = await within(SETUP_MS, registered(ctx, guard, features), () => []);
  const end = new AbortController();
  hearEvents(ctx, guard, end.signal);
  // Setup waits for neither: what is late or fails here costs no request.
  screenOver(ctx, guard, screen);
  return async () => {
    end.abort();
    // The host itself lets go of what can't be taken back.
    await Promise.allSettled(hooks.map(async (hook) => hook.dispose()));
    await guard.close();
  };
}

export function unopened(error: unknown): string {
  const why = error instanceof Error ? error.name : typeof error;
  return `Session Runtime could not be opened (${why}), so requests go as OpenCode makes them. Restart OpenCode to try again.`;
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
    // The request doesn't wait for it.
    await session.hook("http.request", async ({ sessionID, kind, request }) => {
      if (kind === "primary" && guard.isOpen) void sawRequest(guard, sessionID, request.clone());
    }),
  ];
  command?.transform((editor) => {
    for (const { name, description } of declaredCommands(features)) {
      editor.add({
        name,
        description,
        async execute({ sessionID, prompt }) {
          const said = { name, sessionId: sessionID as SessionId, args: prompt?.text ?? "" };
          await guard.run(`/${name}`, (instance) => instance.command(said));
        },
      });
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

async function sawRequest(
  guard: Guard,
  sessionId: string,
  request: Pick<V2HttpEvent["request"], "text">,
): Promise<void> {
  await guard.run("http.request", async (instance) => {
    instance.sawRequest(sessionId as SessionId, await request.text());
    return null;
  });
}

function screenOver({ rpc }: V2Context, guard: Guard, screen: V2Screen): void {
  if (!rpc) return;
  screen
    .register(rpc, (sessionId) => panelOf(guard, sessionId))
    .catch((error) => guard.failedBeside("rpc", error));
}

/** A terminal UI that asks opens nothing. */
async function panelOf(guard: Guard, sessionId: SessionId): Promise<object | null> {
  if (!guard.isOpen) return null;
  return guard.run("panel", (instance) => instance.panel(sessionId));
}

/** It lasts as long as the instance. What has opened nothing hears nothing. */
function hearEvents({ event: events }: V2Context, guard: Guard, signal: AbortSignal): void {
  if (!events) return;
  const hearing = async () => {
    for await (const event of events.subscribe({ signal })) {
      const heard = heardIn(event);
      if (heard && guard.isOpen) await guard.run("event", (instance) => instance.heard(heard));
    }
  };
  hearing().catch((error) => guard.failedBeside("events", error));
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
