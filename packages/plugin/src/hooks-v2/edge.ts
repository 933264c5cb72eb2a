// Registers the plugin's hooks on OpenCode 2, each under a guard, because an exception in a hook stops a session.
import { declareHostCommands } from "../feature-api/declared-commands.ts";
import type { Feature } from "../feature-api/feature.ts";
import { buildInputSchema } from "../feature-api/tool.ts";
import { OpeningGuard } from "../runtime/opening-guard.ts";
import {
  loadStartupConfig,
  NO_OWN_FOLDERS,
  type StartupConfig,
} from "../runtime/startup-config.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Command, V2Context, V2HttpEvent, V2Tool } from "./context.ts";
import { readHostEvent } from "./host.ts";
import type { V2Instance } from "./instance.ts";
import { Registrations } from "./registered.ts";
import { V2Screen } from "./screen.ts";

/**
 * Lists features that OpenCode 2 can't support: it has an inbox of its own, which also takes the prompts that
 * a command would send, and its requests are changed in another way.
 */
const UNSUPPORTED_FEATURES: ReadonlySet<string> = new Set(["inbox", "augment", "lowering"]);

type V2Guard = OpeningGuard<V2Instance>;

/** The longest time that setup may take, as the host would wait for ever. */
const SETUP_TIMEOUT_MS = 2_000;

export async function beginEdge(
  ctx: V2Context,
  listed: readonly Feature[],
): Promise<() => Promise<void>> {
  const directory = resolveDirectory(ctx);
  const place = {
    directory,
    worktree: directory,
    options: ctx.options,
    leftOut: UNSUPPORTED_FEATURES,
    ownFolders: NO_OWN_FOLDERS,
  };
  const startup = await withTimeout(SETUP_TIMEOUT_MS, loadStartupConfig(listed, place), () => null);
  if (!startup) return async () => undefined;
  const screen = new V2Screen();
  const input = { ctx, directory, startup, screen };
  const guard: V2Guard = new OpeningGuard({
    open: async () => (await import("./instance.ts")).openV2(input),
    // There is no log yet: the host shows what is written to its error output.
    refused: (_where, error) => console.error(renderOpenFailure(error)),
  });
  const registered = new Registrations((where, error) => guard.reportFailure(where, error));
  // If the host answers after the timeout, the hooks that are left are registered then.
  await withTimeout(SETUP_TIMEOUT_MS, register(registered, ctx, guard, startup), () => undefined);
  const end = new AbortController();
  handleEvents(ctx, guard, end.signal);
  // Setup waits neither for events nor for the screen, so a delay or failure of these costs no request.
  provideScreen(ctx, guard, screen);
  return async () => {
    end.abort();
    await registered.dispose();
    await guard.close();
  };
}

export function renderOpenFailure(error: unknown): string {
  const why = error instanceof Error ? error.name : typeof error;
  return `Session Runtime could not be opened (${why}), so requests go out as OpenCode makes them. Restart OpenCode to try again.`;
}

function resolveDirectory({ location }: V2Context): string {
  const directory = location?.directory;
  return typeof directory === "string" ? directory : process.cwd();
}

async function register(
  registered: Registrations,
  { session, tool, command }: V2Context,
  guard: V2Guard,
  { features, offered }: StartupConfig,
): Promise<void> {
  await registered.registerHook("context", () =>
    session.hook("context", async (event) => {
      const sent = await guard.run("context", (instance) => instance.projected(event));
      if (sent) event.messages = [...sent];
    }),
  );
  await registered.registerHook("compaction", () =>
    session.hook("compaction", async (event) => {
      const sent = await guard.run("compaction", (instance) => instance.compacting(event));
      if (sent) event.messages = [...sent];
    }),
  );
  await registered.registerHook("http.request", () =>
    // The request doesn't wait until its body is recorded.
    session.hook("http.request", async ({ sessionID, kind, request }) => {
      if (kind === "primary" && guard.isOpen) void recordRequest(guard, sessionID, request);
    }),
  );
  const commands = declareHostCommands(offered, features).map((one) => createV2Command(one, guard));
  await registered.registerItems("commands", command, commands);
  const declared = features.flatMap(({ tools }) => tools ?? []);
  const tools = declared.map((one) => createV2Tool(one, guard));
  await registered.registerItems("tools", tool, tools);
  if (typeof tool?.hook !== "function") return;
  await registered.registerHook("tool-output", () =>
    tool.hook("execute.after", async (event) => {
      const result = await guard.run("tool-output", (instance) => instance.settled(event));
      if (result) event.result = result;
    }),
  );
}

async function recordRequest(
  guard: V2Guard,
  sessionId: string,
  request: V2HttpEvent["request"],
): Promise<void> {
  // The body is cloned at once, before the host reads it.
  const copy = await guard.attempt("http.request", async () => request.clone());
  if (!copy) return;
  await guard.run("http.request", async (instance) => {
    instance.sawRequest(sessionId as SessionId, await copy.text());
    return null;
  });
}

function provideScreen({ rpc }: V2Context, guard: V2Guard, screen: V2Screen): void {
  if (typeof rpc?.register !== "function") return;
  screen
    .register(rpc, (sessionId) => openPanel(guard, sessionId))
    .catch((error) => guard.reportFailure("rpc", error));
}

/** Returns the panel for a terminal UI without opening an instance. */
async function openPanel(guard: V2Guard, sessionId: SessionId): Promise<object | null> {
  if (!guard.isOpen) return null;
  return guard.run("panel", (instance) => instance.panel(sessionId));
}

/** Handles events for as long as the instance lives; events before it opens are ignored. */
function handleEvents({ event: events }: V2Context, guard: V2Guard, signal: AbortSignal): void {
  if (typeof events?.subscribe !== "function") return;
  const consumeEvents = async () => {
    for await (const event of events.subscribe({ signal })) {
      const heard = readHostEvent(event);
      if (heard && guard.isOpen) await guard.run("event", (instance) => instance.onEvent(heard));
    }
  };
  consumeEvents().catch((error) => guard.reportFailure("events", error));
}

function createV2Command(
  { name, description }: Pick<V2Command, "name" | "description">,
  guard: V2Guard,
): V2Command {
  return {
    name,
    description,
    async execute({ sessionID, prompt }) {
      const said = { name, sessionId: sessionID as SessionId, args: prompt?.text ?? "" };
      await guard.run(`/${name}`, (instance) => instance.command(said));
    },
  };
}

function createV2Tool(
  { name, description, args }: NonNullable<Feature["tools"]>[number],
  guard: V2Guard,
): V2Tool {
  return {
    name,
    description,
    input: buildInputSchema(args),
    options: { codemode: false },
    async execute(given, { sessionID, messageID, agent, signal }) {
      const { runTool } = await guard.whenOpened();
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
