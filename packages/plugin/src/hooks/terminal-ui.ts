// The server's side of the terminal UI: greeting, changes, dialogs.
import type { Hooks } from "@opencode-ai/plugin";
import type { Channel } from "../channel/channel.ts";
import { channelFolder } from "../channel/place.ts";
import {
  answerOf,
  type DialogName,
  type GreeterName,
  greeterIn,
  showCommand,
} from "../channel/protocol.ts";
import type { ChannelContent } from "../channel/server.ts";
import { isRunning } from "../inbox/owner.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Surroundings } from "../storage/location.ts";
import type { SessionId } from "../storage/records.ts";

type HostEvent = Parameters<NonNullable<Hooks["event"]>>[0]["event"];

export interface TerminalUiDeps {
  /** Puts a command for terminal UIs on the host's bus; rejects where the host refuses it. */
  readonly publish: (command: string) => Promise<void>;
  readonly content: ChannelContent;
  readonly surroundings: Surroundings;
  readonly failures: FailureReporter;
}

/** Our side of the terminal UI: answers its greeting, tells it of changes, opens its dialogs. */
export class TerminalUi {
  /** Null until a terminal UI has greeted us: without one there is nothing to listen for. */
  #opening: Promise<Channel> | null = null;
  #channel: Channel | null = null;

  constructor(private readonly deps: TerminalUiDeps) {}

  /** The last to hear of an event: what it changes is stored by then. */
  async hear(event: HostEvent): Promise<void> {
    if (event.type === "tui.command.execute") {
      const greeter = greeterIn(event.properties.command);
      if (greeter) await this.#answer(greeter);
      return;
    }
    const sessionId = this.#channel && sessionOf(event);
    if (sessionId) this.changed(sessionId);
  }

  changed(sessionId: string): void {
    this.#channel?.changed(sessionId);
  }

  /** Whether a terminal UI with our plugin shows the session. */
  watches(sessionId: SessionId): boolean {
    return (this.#channel?.watchers(sessionId) ?? 0) > 0;
  }

  /** Opens the dialog where a terminal UI shows the session, and says whether one does. */
  async show(dialog: DialogName, sessionId: SessionId): Promise<"shown" | "nobody looks"> {
    if (!this.watches(sessionId)) return "nobody looks";
    await this.deps.publish(showCommand(dialog, sessionId));
    return "shown";
  }

  close(): void {
    const [channel, opening] = [this.#channel, this.#opening];
    this.#channel = null;
    this.#opening = null;
    if (channel) channel.close();
    // Who has greeted just now hears why it could not be opened; here there is nothing to close then.
    else opening?.then((late) => late.close()).catch(() => null);
  }

  async #answer(greeter: GreeterName): Promise<void> {
    this.#opening ??= this.#open();
    try {
      this.#channel = await this.#opening;
    } catch (error) {
      // The next greeting tries again.
      this.#opening = null;
      throw error;
    }
    await this.deps.publish(answerOf(this.#channel.id, greeter));
  }

  /** Loaded only now: a host without our terminal UI is spared it. */
  async #open(): Promise<Channel> {
    const { openChannel } = await import("../channel/channel.ts");
    const { content, failures, surroundings } = this.deps;
    return openChannel({
      folder: channelFolder(surroundings),
      isRunning,
      failed: (error) => failures.failed("channel", error),
      content,
    });
  }
}

/** The session whose status an event may change; null for the many that change none. */
function sessionOf(event: HostEvent): string | null {
  switch (event.type) {
    case "message.updated":
      return event.properties.info.sessionID;
    case "message.removed":
    case "session.status":
    case "session.compacted":
      return event.properties.sessionID;
    case "session.updated":
      return event.properties.info.id;
    default:
      return null;
  }
}
