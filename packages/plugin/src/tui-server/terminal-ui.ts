// The server's side of the terminal UI: greeting, changes, dialogs.
import type { DialogName } from "../feature-api/command.ts";
import type { ChannelContent, Screen } from "../feature-api/screen.ts";
import { isRunning } from "../features/inbox/process-id.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { PathEnvironment } from "../storage/location.ts";
import type { SessionId } from "../storage/records.ts";
import { resolveChannelFolder } from "./address-file.ts";
import type { Channel } from "./channel.ts";
import { formatAnswer, formatShowCommand, type GreeterId, parseGreeter } from "./protocol.ts";

/** The content that is served to a terminal UI that greets, and the reporter of failures there. */
interface ServedContent {
  readonly content: ChannelContent;
  readonly failures: FailureReporter;
}

/** Our side of the terminal UI: answers its greeting, sends it changes, opens its dialogs. */
export class TerminalUi implements Screen {
  /**
   * The channel that is being opened; null until a terminal UI has greeted us, because until then nobody
   * would use it.
   */
  #opening: Promise<Channel> | null = null;
  #channel: Channel | null = null;

  constructor(
    private readonly deps: {
      /** Puts a command for terminal UIs on the host's bus; rejects if the host refuses it. */
      readonly publish: (command: string) => Promise<void>;
      readonly surroundings: PathEnvironment;
    },
  ) {}

  /** Answers a greeting; any other command on the host's bus is for others. */
  async onGreeted(command: string, served: ServedContent): Promise<void> {
    const greeter = parseGreeter(command);
    if (greeter) await this.#answerGreeting(greeter, served);
  }

  changed(sessionId: string): void {
    this.#channel?.changed(sessionId);
  }

  watches(sessionId: SessionId): boolean {
    return (this.#channel?.watchers(sessionId) ?? 0) > 0;
  }

  async show(dialog: DialogName, sessionId: SessionId): Promise<"shown" | "nobody looks"> {
    if (!this.watches(sessionId)) return "nobody looks";
    await this.deps.publish(formatShowCommand(dialog, sessionId));
    return "shown";
  }

  close(): void {
    const [channel, opening] = [this.#channel, this.#opening];
    this.#channel = null;
    this.#opening = null;
    if (channel) channel.close();
    // A failed opening leaves nothing to close, and is reported to the terminal UI that greeted us.
    else opening?.then((late) => late.close()).catch(() => null);
  }

  async #answerGreeting(greeter: GreeterId, served: ServedContent): Promise<void> {
    this.#opening ??= this.#open(served);
    try {
      this.#channel = await this.#opening;
    } catch (error) {
      // The next greeting tries again.
      this.#opening = null;
      throw error;
    }
    await this.deps.publish(formatAnswer(this.#channel.id, greeter));
  }

  /** Opens a channel. Its module is loaded only now, to spare a host without our terminal UI. */
  async #open({ content, failures }: ServedContent): Promise<Channel> {
    const { openChannel } = await import("./channel.ts");
    return openChannel({
      folder: resolveChannelFolder(this.deps.surroundings),
      isRunning,
      failed: (error) => failures.failed("channel", error),
      worked: () => failures.worked("channel"),
      content,
    });
  }
}
