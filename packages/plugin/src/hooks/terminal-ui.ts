import type { Hooks } from "@opencode-ai/plugin";
import type { Channel } from "../channel/channel.ts";
import { channelFolder } from "../channel/place.ts";
import {
  answerOf,
  type GreeterName,
  greeterIn,
  type ReportName,
  showCommand,
} from "../channel/protocol.ts";
import { isRunning } from "../inbox/owner.ts";
import { processSurroundings } from "../storage/location.ts";
import type { SessionId } from "../storage/records.ts";
import type { ComposedPlugin } from "./compose.ts";
import type { Reports } from "./reports.ts";

type HostEvent = Parameters<NonNullable<Hooks["event"]>>[0]["event"];

/** Our side of the terminal UI: answers its greeting, tells it of changes, opens its dialogs. */
export class TerminalUi {
  /** Null until a terminal UI has greeted us: without one there is nothing to listen for. */
  #opening: Promise<Channel> | null = null;
  #channel: Channel | null = null;

  constructor(
    private readonly plugin: ComposedPlugin,
    private readonly reports: Reports,
  ) {}

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

  /** Opens the report as a dialog where a terminal UI shows the session, and says whether one does. */
  async show(report: ReportName, sessionId: SessionId): Promise<"shown" | "nobody looks"> {
    if (!this.#channel?.watchers(sessionId)) return "nobody looks";
    await this.#publish(showCommand(report, sessionId));
    return "shown";
  }

  close(): void {
    this.#channel?.close();
    this.#channel = null;
    this.#opening = null;
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
    await this.#publish(answerOf(this.#channel.id, greeter));
  }

  /** Loaded only now: a host without our terminal UI is spared it. */
  async #open(): Promise<Channel> {
    const { openChannel } = await import("../channel/channel.ts");
    const { reports, plugin } = this;
    return openChannel({
      folder: channelFolder(processSurroundings()),
      isRunning,
      failed: (error) => plugin.failures.failed("channel", error),
      content: {
        status: (sessionId) => reports.panel(sessionId as SessionId),
        report: async ({ report, sessionId }) => {
          const { text } = await reports.of(report, sessionId as SessionId);
          return { text };
        },
      },
    });
  }

  async #publish(command: string): Promise<void> {
    await this.plugin.client.tui.publish({
      body: { type: "tui.command.execute", properties: { command } },
      throwOnError: true,
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
