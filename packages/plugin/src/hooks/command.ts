import { faultFields } from "../log/fault.ts";
import { commandTaken } from "../status/notices.ts";
import { type HistoryPresence, presenceOf } from "../status/presence.ts";
import { type CommandReport, type ReportGround, reportOf } from "../status/report.ts";
import type { SessionId } from "../storage/records.ts";
import { briefReport } from "./brief-report.ts";
import type { ComposedPlugin } from "./compose.ts";
import type { HostConfigInput } from "./host-config.ts";
import { type ActionCommand, type CommandCall, inboxCommands } from "./inbox-commands.ts";

/** A slash command that reports, and never calls a model. */
interface ReportCommand {
  readonly kind: "report";
  readonly name: string;
  readonly description: string;
  readonly report: (
    ground: ReportGround,
    plugin: ComposedPlugin,
  ) => CommandReport | Promise<CommandReport>;
}

type Command = ReportCommand | ActionCommand;

const COMMANDS: readonly Command[] = [
  {
    kind: "report",
    name: "ctx-status",
    description: "Session Runtime: this session's epoch, sources, updates and prompt cache",
    report: reportOf,
  },
  {
    kind: "report",
    name: "ctx-brief",
    description: "Session Runtime: what a compaction would be told of the work in hand now",
    report: ({ sessionId }, { continuity }) => briefReport(continuity, sessionId),
  },
  ...inboxCommands,
];

/** What the model would be sent if the host ever ran the command itself; also marks a command as ours. */
function templateOf({ name }: Command): string {
  return `Session Runtime answers /${name} itself.`;
}

/** Adds our commands to the host's config; a user's own of the same name is kept, and that said once. */
export function registerCommands(
  config: HostConfigInput,
  notices: ComposedPlugin["notices"],
): void {
  const registered = config.command ?? {};
  for (const command of COMMANDS) {
    const template = templateOf(command);
    const present = registered[command.name];
    if (present && present.template !== template) notices.notice(commandTaken(command.name));
    else registered[command.name] = { template, description: command.description };
  }
  config.command = registered;
}

/**
 * Ends a command that is done. The host knows no other way to keep the model out. It answers most
 * errors with a bare "Unexpected server error"; those that go by this name it answers with what
 * `toObject` gives (OpenCode 1.18.33, its error middleware), so that callers can read what happened.
 */
export class CommandDone extends Error {
  override readonly name = "ConfigFrontmatterError";

  toObject() {
    return { name: "UnknownError", data: { message: this.message } };
  }
}

/** What the newest prompt ran with. */
interface Prompted {
  readonly agent: string;
  readonly model: { readonly providerID: string; readonly modelID: string };
  /** The model's variant: a reasoning effort, say. */
  readonly variant: { readonly variant: string } | null;
}

/** Whether a report can be written into the session, and if not, why. */
type Place =
  | { readonly kind: "open"; readonly prompted: Prompted }
  /** Without a prompt yet: a message before it would cost the session its title. */
  | { readonly kind: "empty" }
  /** With an undo that can still be taken back: any message would make it final. */
  | { readonly kind: "undone" };

interface HostSession {
  readonly place: Place;
  readonly history: HistoryPresence;
}

/** Runs our commands: a report at once while the session is idle, after it has settled while it is busy. */
export class CommandRunner {
  readonly #waiting = new Map<SessionId, Map<string, ReportCommand>>();
  #ours: ReadonlySet<string> = new Set();

  constructor(private readonly plugin: ComposedPlugin) {}

  register(config: HostConfigInput): void {
    registerCommands(config, this.plugin.notices);
    const ours = COMMANDS.filter(
      (command) => config.command?.[command.name]?.template === templateOf(command),
    );
    this.#ours = new Set(ours.map(({ name }) => name));
  }

  /** @throws CommandDone when the command was ours; returns for any other. */
  async run(name: string, call: CommandCall): Promise<void> {
    const command = COMMANDS.find((candidate) => candidate.name === name);
    if (!command || !this.#ours.has(name)) return;
    throw new CommandDone(await this.#answer(command, call));
  }

  /** The session has become idle: what was asked for meanwhile is written now. */
  async settled(sessionId: SessionId): Promise<void> {
    const waiting = this.#waiting.get(sessionId);
    if (!waiting || (await this.#activity(sessionId)) === "busy") return;
    this.#waiting.delete(sessionId);
    for (const command of waiting.values()) await this.#report(command, sessionId);
  }

  /** What the caller is told. Failures are told too: the command is over in any case. */
  async #answer(command: Command, call: CommandCall): Promise<string> {
    const { sessionId } = call;
    const said = `This is no failure: /${command.name} was answered without a model call.`;
    try {
      if (command.kind === "action") return `${said} ${await this.#act(command, call)}`;
      if ((await this.#activity(sessionId)) === "busy") {
        this.#wait(command, sessionId);
        const text = `The session is busy: the report of /${command.name} comes when it has settled.`;
        await this.#toast(text);
        return `${said} ${text}`;
      }
      return `${said} ${await this.#report(command, sessionId)}`;
    } catch (error) {
      this.plugin.failures.failed(`/${command.name}`, error);
      return `/${command.name} could not be answered, and no model was called: see the log at ${this.plugin.log.health().path}.`;
    }
  }

  async #act(command: ActionCommand, call: CommandCall): Promise<string> {
    const text = await command.act(this.plugin.inbox, call);
    await this.#toast(text);
    return text;
  }

  /** Writes the report where that does no harm; says where it is. */
  async #report(command: ReportCommand, sessionId: SessionId): Promise<string> {
    await this.#openDatabase();
    await this.#settleInbox(sessionId);
    const { place, history } = await this.#session(sessionId);
    const { text, summary } = await command.report(this.#ground(sessionId, history), this.plugin);
    switch (place.kind) {
      case "open":
        await this.#write(sessionId, place.prompted, text);
        return `The report is the newest message of session ${sessionId}. In short: ${summary}`;
      case "empty":
        await this.#toast(`Nothing was sent in this session yet. ${summary}`);
        return `The session has no message yet, so nothing was written to it. In short: ${summary}`;
      case "undone":
        await this.#toast(`${summary} Redo the undone messages or send one to see all of it.`);
        return `An undo can still be taken back, so nothing was written to the session. The report:\n\n${text}`;
    }
  }

  #wait(command: ReportCommand, sessionId: SessionId): void {
    const waiting = this.#waiting.get(sessionId) ?? new Map<string, ReportCommand>();
    this.#waiting.set(sessionId, waiting.set(command.name, command));
  }

  /** The report itself says what is wrong with a database that can't be opened. */
  async #openDatabase(): Promise<void> {
    try {
      await this.plugin.database.ensure();
    } catch (error) {
      this.plugin.log.warn("command.database", faultFields(error));
    }
  }

  /** What has just been answered is not to be reported as open. */
  async #settleInbox(sessionId: SessionId): Promise<void> {
    try {
      await this.plugin.inbox.look(sessionId);
    } catch (error) {
      this.plugin.log.warn("command.inbox", faultFields(error));
    }
  }

  async #activity(sessionId: SessionId): Promise<"busy" | "idle"> {
    const { data } = await this.plugin.client.session.status({ throwOnError: true });
    const type = data[sessionId]?.type ?? "idle";
    return type === "idle" ? "idle" : "busy";
  }

  async #session(sessionId: SessionId): Promise<HostSession> {
    const { client } = this.plugin;
    const path = { id: sessionId };
    const [messages, session] = await Promise.all([
      client.session.messages({ path, throwOnError: true }),
      client.session.get({ path, throwOnError: true }),
    ]);
    const { revert } = session.data;
    const undo = revert ? { messageId: revert.messageID, partId: revert.partID ?? null } : null;
    return {
      place: undo ? { kind: "undone" } : placeIn(messages.data),
      history: presenceOf(messages.data, undo),
    };
  }

  #ground(sessionId: SessionId, history: HistoryPresence): ReportGround {
    const { runtime, database, notices, log, hostConfig, now } = this.plugin;
    runtime.flush();
    return {
      sessionId,
      nowMs: now(),
      database: () => database.current(),
      history,
      failing: runtime.failingSources(),
      warnings: notices.told(),
      log: log.health(),
      plugins: hostConfig.plugins(),
    };
  }

  /**
   * Agent and model are those of the newest prompt: without them the host takes its defaults and
   * makes them the session's own. An `ignored` part is shown to the user and not sent.
   */
  async #write(sessionId: SessionId, prompted: Prompted, text: string): Promise<void> {
    const { agent, model, variant } = prompted;
    await this.plugin.client.session.prompt({
      path: { id: sessionId },
      body: {
        noReply: true,
        agent,
        model,
        // The host takes it here; its first SDK does not know it yet.
        ...variant,
        parts: [{ type: "text", text, ignored: true }],
      },
      throwOnError: true,
    });
  }

  async #toast(text: string): Promise<void> {
    try {
      await this.plugin.toast(text, "info");
    } catch (error) {
      this.plugin.log.warn("command.toast_failed", faultFields(error));
    }
  }
}

type HostMessages = NonNullable<
  Awaited<ReturnType<ComposedPlugin["client"]["session"]["messages"]>>["data"]
>;

function placeIn(messages: HostMessages): Place {
  const newest = messages.findLast(({ info }) => info.role === "user")?.info;
  if (newest?.role !== "user") return { kind: "empty" };
  const { agent, model } = newest;
  const { providerID, modelID } = model;
  const variant =
    "variant" in model && typeof model.variant === "string" ? { variant: model.variant } : null;
  return { kind: "open", prompted: { agent, model: { providerID, modelID }, variant } };
}
