// Runs the slash commands, and ends a command without a model call.
import { BoundedMap } from "../context/bounded-map.ts";
import type {
  ActionCommand,
  CommandCall,
  OpenCommand,
  ReportCommand,
} from "../feature-api/command.ts";
import { SESSION_ELSEWHERE_CHECKS } from "../feature-api/extension-points.ts";
import type { Screen } from "../feature-api/screen.ts";
import { toFaultFields } from "../log/fault.ts";
import { createCommandTakenNotice } from "../status/notices.ts";
import { makeLinesVisible } from "../status/wording.ts";
import type { SessionId } from "../storage/records.ts";
import type { ComposedPlugin } from "./compose.ts";
import type { HostConfigInput } from "./host-config.ts";
import { isOwnCommand } from "./host-names.ts";
import type { PromptContext, Reports } from "./reports.ts";

// An error whose message is readable to the host's callers.

/**
 * Carries a message to the host's callers. The host answers most errors with a bare "Unexpected server error",
 * and errors of this name with the result of `toObject` (OpenCode 1.18.33, its error middleware).
 */
export class ErrorForHost extends Error {
  override readonly name = "ConfigFrontmatterError";

  toObject() {
    return { name: "UnknownError", data: { message: this.message } };
  }
}

// Supports `opencode run --command`, a process that runs one command and ends.

/** Says by the arguments whether this process ends with its command; with `--attach`, the server runs on. */
export function isOneShot(argv: readonly string[]): boolean {
  const hasOption = (option: string) =>
    argv.some((argument) => argument === option || argument.startsWith(`${option}=`));
  return argv.includes("run") && hasOption("--command") && !hasOption("--attach");
}

/** Removes the quotes that `opencode run` puts around an argument with spaces (1.18.33). */
export function stripQuotes(args: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(args)?.[1];
  return quoted === undefined ? args : quoted.replaceAll('\\"', '"');
}

/**
 * Prints an answer on standard output. OpenCode treats the end of our commands as a failure and exits with 1,
 * so the code is corrected when the process exits.
 */
export function print(answer: string): void {
  process.stdout.write(`${answer}\n`);
  // The exit code is fixed when the process exits (Bun 1.3.14), so setting `exitCode` has no effect.
  process.once("exit", () => process.exit(0));
}

/** The most sessions whose newest answer a dialog can still read. */
const MAX_ANSWERED_SESSIONS = 20;

interface StoredAnswer {
  readonly command: string;
  readonly text: string;
}

/** Runs our commands: answers at once if the session is idle, or after it has settled if it is busy. */
export class CommandRunner {
  readonly #waiting = new Map<SessionId, Map<string, ReportCommand>>();
  /** Holds answers that came while a session was busy. */
  readonly #notes = new Map<SessionId, string[]>();
  /** Holds each session's newest answer for a dialog to read. */
  readonly #answers = new BoundedMap<SessionId, StoredAnswer>(MAX_ANSWERED_SESSIONS);
  #ours: ReadonlySet<string> = new Set();

  constructor(
    private readonly plugin: ComposedPlugin,
    private readonly reports: Reports,
    private readonly screen: Screen,
    private readonly commands: readonly OpenCommand[],
  ) {}

  /**
   * Reads the host's config with our commands in it; a user's own command of the same name is reported once.
   */
  takeConfig(config: HostConfigInput): void {
    const names = this.commands.map(({ name }) => name);
    const former = [...this.plugin.commandNames.former.keys()];
    this.#ours = new Set([...names, ...former].filter((name) => isOwnCommand(config, name)));
    for (const name of names) {
      if (!this.#ours.has(name)) this.plugin.notices.notice(createCommandTakenNotice(name));
    }
  }

  /**
   * Runs a command. The host offers no way but an error to prevent the model call.
   * @throws ErrorForHost when the command was ours; returns for any other
   */
  async run(called: string, call: CommandCall): Promise<void> {
    if (!this.#ours.has(called)) return;
    const name = this.plugin.commandNames.resolve(called);
    const command = this.commands.find((candidate) => candidate.name === name);
    if (!command) return;
    const answer = await this.#attempt(command, () =>
      call.process === "ends" ? this.#answerOnce(command, call) : this.#answer(command, call),
    );
    throw new ErrorForHost(makeLinesVisible(answer));
  }

  /** Returns the command's newest answer in this session if it has several lines; null if there is none. */
  findAnswer(command: string, sessionId: SessionId): string | null {
    const answer = this.#answers.get(sessionId);
    return answer?.command === command ? answer.text : null;
  }

  /** Writes what was requested while the session was busy, now that it is idle. */
  async onSettled(sessionId: SessionId): Promise<void> {
    const [reports, notes] = [this.#waiting.get(sessionId), this.#notes.get(sessionId)];
    if (!(reports || notes) || (await this.#readActivity(sessionId)) === "busy") return;
    this.#waiting.delete(sessionId);
    this.#notes.delete(sessionId);
    if (notes) await this.#showAnswer(sessionId, notes.join("\n\n"));
    for (const command of reports?.values() ?? []) await this.#writeReport(command, sessionId);
  }

  /** Returns the text for the caller. A failure becomes text too, because the command is over either way. */
  async #attempt({ name }: OpenCommand, answer: () => Promise<string>): Promise<string> {
    const { failures, log } = this.plugin;
    try {
      const text = await answer();
      failures.worked(`/${name}`);
      return text;
    } catch (error) {
      failures.failed(`/${name}`, error);
      return `/${name} could not be answered, and no model was called: see the log at ${log.health().path}.`;
    }
  }

  async #answer(command: OpenCommand, call: CommandCall): Promise<string> {
    const { sessionId } = call;
    const said = `This is not an error: /${command.name} was answered without a model call.`;
    const dialog = command.dialog(call.args);
    if (dialog && (await this.screen.show(dialog, sessionId)) === "shown") {
      const what = command.kind === "action" ? "queue" : "report";
      return `${said} The ${what} is shown in the terminal UI.`;
    }
    if (command.kind === "action") return `${said} ${await this.#runAction(command, call)}`;
    if ((await this.#readActivity(sessionId)) === "busy") {
      this.#waitForSettled(command, sessionId);
      const text = `The session is busy: the report of /${command.name} comes when it has settled.`;
      await this.#showToast(text);
      return `${said} ${text}`;
    }
    return `${said} ${await this.#writeReport(command, sessionId)}`;
  }

  /** Prints the answer for `opencode run --command`, whose user sees no messages or toasts. */
  async #answerOnce(command: OpenCommand, call: CommandCall): Promise<string> {
    const text =
      command.kind === "action"
        ? (await command.act({ ...call, args: stripQuotes(call.args) })).text
        : (await this.reports.reportFor(command, call.sessionId)).text;
    print(makeLinesVisible(text));
    return `This is not a failure: the answer of /${command.name} is on standard output, and no model was called.`;
  }

  async #runAction(command: ActionCommand, call: CommandCall): Promise<string> {
    const { sessionId } = call;
    this.#answers.delete(sessionId);
    const { text, shownBy } = await command.act(call);
    this.screen.changed(sessionId);
    // A list would disappear with its toast before anyone could read it.
    const fitsToast = !text.includes("\n");
    const isSeen = shownBy === "conversation" || (fitsToast && this.screen.watches(sessionId));
    if (isSeen) await this.#showToast(text);
    else if (!(await this.#openReport(command.name, sessionId, text)))
      await this.#keepAnswer(sessionId, text);
    return text;
  }

  async #openReport(command: string, sessionId: SessionId, text: string): Promise<boolean> {
    this.#answers.set(sessionId, { command, text });
    return (await this.screen.show(command, sessionId)) === "shown";
  }

  /**
   * Writes an answer that has no panel, because a toast disappears. A message in the middle of a turn would
   * cost a call, even if another process runs the turn, so the answer waits. The command has ended in any
   * case.
   */
  async #keepAnswer(sessionId: SessionId, text: string): Promise<void> {
    try {
      const isElsewhere = await this.#isRunningElsewhere(sessionId);
      const isBusy = (await this.#readActivity(sessionId)) === "busy";
      if (!isElsewhere && !isBusy) return await this.#showAnswer(sessionId, text);
      if (isBusy) this.#notes.set(sessionId, [...(this.#notes.get(sessionId) ?? []), text]);
    } catch (error) {
      this.plugin.log.warn("command.note_failed", toFaultFields(error));
    }
    await this.#showToast(text);
  }

  /** Shows a toast if a message would do harm, and writes a message otherwise. */
  async #showAnswer(sessionId: SessionId, text: string): Promise<void> {
    const place = await this.reports.readPlace(sessionId);
    if (place.kind === "open") await this.#write(sessionId, place.prompted, text);
    else await this.#showToast(text);
  }

  /** Writes the report if that does no harm, and says where it is. */
  async #writeReport(command: ReportCommand, sessionId: SessionId): Promise<string> {
    const { place, text, summary } = await this.reports.reportFor(command, sessionId);
    switch (place.kind) {
      case "open":
        await this.#write(sessionId, place.prompted, text);
        return `The report is the newest message of session ${sessionId}. In short: ${summary}`;
      case "empty":
        await this.#showToast(`Nothing was sent in this session yet: ${summary}`);
        return `The session has no message yet, so nothing was written to it. In short: ${summary}`;
      case "undone":
        await this.#showToast(`${summary} Redo the undone messages or send one to see all of it.`);
        return `The undone messages can still be redone, so nothing was written to the session. The report:\n\n${text}`;
      case "unlisted":
        await this.#showToast(summary);
        return `OpenCode can't list this session's messages, so nothing was written to it. The report:\n\n${text}`;
    }
  }

  #waitForSettled(command: ReportCommand, sessionId: SessionId): void {
    const waiting = this.#waiting.get(sessionId) ?? new Map<string, ReportCommand>();
    this.#waiting.set(sessionId, waiting.set(command.name, command));
  }

  async #isRunningElsewhere(sessionId: SessionId): Promise<boolean> {
    const asked = this.plugin.provided
      .getAll(SESSION_ELSEWHERE_CHECKS)
      .map(({ value: isElsewhere }) => isElsewhere(sessionId));
    return (await Promise.all(asked)).includes(true);
  }

  async #readActivity(sessionId: SessionId): Promise<"busy" | "idle"> {
    const { data } = await this.plugin.input.client.session.status({ throwOnError: true });
    const type = data[sessionId]?.type ?? "idle";
    return type === "idle" ? "idle" : "busy";
  }

  /**
   * Writes a message with the newest prompt's agent and model: without them the host takes its defaults and
   * makes them the session's own. An `ignored` part is shown to the user and not sent.
   */
  async #write(sessionId: SessionId, prompted: PromptContext, text: string): Promise<void> {
    const { agent, model, variant } = prompted;
    await this.plugin.input.client.session.prompt({
      path: { id: sessionId },
      body: {
        noReply: true,
        agent,
        model,
        // The host accepts the variant here; its first SDK's types lack it.
        ...variant,
        parts: [{ type: "text", text: makeLinesVisible(text), ignored: true }],
      },
      throwOnError: true,
    });
  }

  async #showToast(text: string): Promise<void> {
    try {
      await this.plugin.toast(text, "info");
    } catch (error) {
      this.plugin.log.warn("command.toast_failed", toFaultFields(error));
    }
  }
}
