// chat.message and events for the inbox; refusals that the host's callers can read.
import type { Hooks } from "@opencode-ai/plugin";
import { type ArrivingPrompt, PromptRefused } from "../inbox/arrival.ts";
import type { HostRow } from "../inbox/host.ts";
import type { SessionId } from "../storage/records.ts";
import type { ComposedPlugin } from "./compose.ts";
import { guard, guardAtOnce } from "./guard.ts";

type ChatMessage = NonNullable<Hooks["chat.message"]>;
type Input = Parameters<ChatMessage>[0];
type Output = Parameters<ChatMessage>[1];
type HostEvent = Parameters<NonNullable<Hooks["event"]>>[0]["event"];

/** How long after a call's hooks something is written: by then the request is on its way. */
const AFTER_SEND_MS = 40;

/** By the config hook all plugins are up, but the host itself is not: it answers a little later. */
const START_MS = 1_000;

/**
 * A refusal that the caller can read: the host answers errors of this name with what `toObject`
 * gives, others with a bare "Unexpected server error".
 */
class RefusalForHost extends Error {
  override readonly name = "ConfigFrontmatterError";

  toObject() {
    return { name: "UnknownError", data: { message: this.message } };
  }
}

/** The inbox's side of the host's hooks. */
export class InboxHooks {
  #started = false;

  constructor(private readonly plugin: ComposedPlugin) {}

  /** @throws RefusalForHost only by intent: a failure of ours lets the prompt through. */
  async arrive(input: Input, output: Output): Promise<void> {
    const { hostConfig, failures, inbox } = this.plugin;
    if (hostConfig.standing !== "only") return;
    let refused: PromptRefused | null = null;
    await guard(failures, "chat.message", async () => {
      try {
        await inbox.arrive(arriving(input, output));
      } catch (error) {
        if (!(error instanceof PromptRefused)) throw error;
        refused = error;
      }
    });
    const refusal = refused as PromptRefused | null;
    if (refusal === null) return;
    this.plugin.log.info("prompt.refused", { reason: refusal.reason, session: input.sessionID });
    throw new RefusalForHost(refusal.message);
  }

  /** messages.transform: what the history holds is promoted, once the call has been sent. */
  boundary(messages: readonly (HostRow & { readonly info: { sessionID: string } })[]): void {
    const { runtime, failures, inbox } = this.plugin;
    const sessionId = messages[0]?.info.sessionID as SessionId | undefined;
    if (sessionId === undefined || runtime.isCompacting(sessionId)) return;
    guardAtOnce(failures, "inbox", () => inbox.boundary(sessionId, messages, AFTER_SEND_MS));
  }

  async hear(event: HostEvent): Promise<void> {
    const { inbox, database } = this.plugin;
    switch (event.type) {
      case "session.status": {
        const { sessionID, status } = event.properties;
        await database.ensure();
        inbox.status(sessionID as SessionId, status.type === "idle" ? "idle" : "busy");
        break;
      }
      case "message.updated": {
        const { info } = event.properties;
        if (info.role === "user") inbox.saved(info.sessionID as SessionId, info.id);
        break;
      }
      case "message.removed":
        await database.ensure();
        inbox.removed(event.properties.messageID);
        break;
      case "session.deleted":
        inbox.forget(event.properties.info.id as SessionId);
        break;
      default:
        break;
    }
  }

  /** Looks for what an earlier process has left, once the host answers. */
  start(): void {
    const { hostConfig, failures, inbox, traces } = this.plugin;
    if (this.#started || hostConfig.standing !== "only") return;
    this.#started = true;
    const job = { name: "recovery", sessionId: null } as const;
    const recover = () =>
      void guard(failures, "recovery", () => traces.job(job, () => inbox.recover()));
    setTimeout(recover, START_MS).unref();
  }

  close(): void {
    this.plugin.inbox.close();
  }
}

function arriving(input: Input, { message, parts }: Output): ArrivingPrompt {
  const { agent = null, model = null, variant = null } = input;
  return {
    sessionId: input.sessionID as SessionId,
    // The live rows: what is changed in them is what the host saves.
    message: message as ArrivingPrompt["message"],
    parts: parts as ArrivingPrompt["parts"][number][],
    asked: { agent, model, variant },
  };
}
