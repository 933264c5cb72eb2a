// Serves the plugin's part of the terminal UI over the host's rpc, if the host has one.
import { toFields } from "../context/fields.ts";
import type { Toast } from "../log/notices.ts";
import { SCREEN_RPC } from "../status/screen-rpc.ts";
import type { SessionId } from "../storage/records.ts";
import type { Registration, V2Emitter, V2Rpc } from "./context.ts";

type ScreenEvent = keyof typeof SCREEN_RPC.events;

export class V2Screen {
  #events: V2Emitter | null = null;

  /**
   * Registers the panel; `openPanel` returns null if the instance is not open, or has failed. Returns a
   * function that ends the registration.
   */
  async register(
    rpc: V2Rpc,
    openPanel: (sessionId: SessionId) => Promise<object | null>,
  ): Promise<Registration> {
    const registered = await rpc.register(SCREEN_RPC, {
      async status(input) {
        const { sessionID } = toFields(input);
        return { panel: JSON.stringify(await openPanel(String(sessionID) as SessionId)) };
      },
    });
    this.#events = registered.events;
    return registered;
  }

  answered(sessionId: SessionId, command: string, text: string): Promise<void> {
    return this.#emit("answered", { sessionID: sessionId, command, text });
  }

  changed(sessionId: SessionId): Promise<void> {
    return this.#emit("changed", { sessionID: sessionId });
  }

  readonly toast: Toast = (text, severity) => this.#emit("noticed", { text, severity });

  /** Sends an event, which is only logged if the host has no rpc. */
  async #emit(name: ScreenEvent, data: Readonly<Record<string, string>>): Promise<void> {
    await this.#events?.emit(name, data);
  }
}
