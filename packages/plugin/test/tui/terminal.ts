// The host's terminal UI, as far as ours uses it: a renderer of its own, one dialog, keys and toasts.

import { mock } from "bun:test";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import type { Renderable } from "@opentui/core";
import { createTestRenderer } from "@opentui/core/testing";
import { eventually } from "../eventually.ts";

/** Under Bun, `solid-js` is what a server needs, where nothing reacts; the host has this one. */
const whole = join(dirname(fileURLToPath(import.meta.resolve("solid-js"))), "solid.js");
const reactive: typeof import("solid-js") = await import(whole);
const [screen, setScreen] = reactive.createSignal({ width: 100, height: 40 });
mock.module("solid-js", () => reactive);
mock.module("@opentui/solid", () => ({ useTerminalDimensions: () => screen }));

interface Layer {
  readonly bindings?: readonly { readonly key: string; readonly cmd: () => void }[];
  readonly commands?: readonly LayerCommand[];
}

export interface LayerCommand {
  readonly name: string;
  readonly title?: string;
  readonly desc?: string;
  readonly run: () => void;
}

interface Toast {
  readonly variant: string;
  readonly message: string;
  readonly title?: string;
}

interface PromptDialog {
  readonly title: string;
  readonly value: string;
  readonly onConfirm: (text: string) => void;
}

interface OpenDialog {
  readonly dispose: () => void;
  readonly shown: unknown;
  readonly closed: () => void;
}

type Listener = (event: { readonly properties: Record<string, string> }) => void;

export class Terminal {
  readonly toasts: Toast[] = [];
  /** Commands that were run by the host's own route. */
  readonly ran: { readonly command: string; readonly arguments: string }[] = [];
  /** How each ends; an error is thrown. */
  ends: () => unknown = () => ({ message: "This is not an error: it was answered." });
  readonly published: string[] = [];
  readonly slots: { readonly order: number; readonly slots: Record<string, () => Renderable> }[] =
    [];
  size: string | null = null;
  readonly #layers = new Set<Layer>();
  readonly #listeners = new Map<string, Listener[]>();
  readonly #ends: (() => void)[] = [];
  #dialog: OpenDialog | null = null;

  private constructor(private readonly rendering: Awaited<ReturnType<typeof createTestRenderer>>) {}

  static async open(width = 100, height = 40): Promise<Terminal> {
    setScreen({ width, height });
    return new Terminal(await createTestRenderer({ width, height }));
  }

  /** Runs work whose effects react until the terminal closes. */
  rooted<Result>(work: () => Result): Result {
    return reactive.createRoot((dispose) => {
      this.#ends.push(dispose);
      return work();
    });
  }

  signal<Value>(value: Value) {
    return reactive.createSignal<Value>(value);
  }

  /** The screen has another size now. */
  resize(width: number, height: number): void {
    setScreen({ width, height });
  }

  show(part: Renderable): void {
    this.rendering.renderer.root.add(part);
  }

  /** The lines on the screen, without what is empty. */
  async lines(): Promise<readonly string[]> {
    // After the timers that are due: a dialog that was closed opens another one by such.
    await new Promise((resolve) => setTimeout(resolve, 2));
    await this.rendering.renderOnce();
    const frame = this.rendering.captureCharFrame().split("\n");
    return frame.map((line) => line.trim()).filter((line) => line !== "");
  }

  /** The row, from the top, of the first line that says so; -1: none does. */
  findRow(text: string): number {
    const frame = this.rendering.captureCharFrame().split("\n");
    return frame.findIndex((line) => line.includes(text));
  }

  /** Waits until a line of the screen says so. */
  async says(text: string): Promise<readonly string[]> {
    let lines: readonly string[] = [];
    const seen = () => `${text} is on the screen, which has:\n${lines.join("\n")}`;
    await eventually(seen, async () => {
      lines = await this.lines();
      return lines.some((line) => line.includes(text));
    });
    return lines;
  }

  press(key: string): void {
    for (const { bindings = [] } of this.#layers) {
      for (const binding of bindings) if (binding.key === key) binding.cmd();
    }
  }

  get keys(): readonly string[] {
    return [...this.#layers].flatMap(({ bindings = [] }) => bindings.map(({ key }) => key));
  }

  get commands(): ReadonlyMap<string, LayerCommand> {
    const all = [...this.#layers].flatMap(({ commands = [] }) => commands);
    return new Map(all.map((command) => [command.name, command]));
  }

  emit(type: string, properties: Record<string, string>): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ properties });
  }

  /** The host's own dialog that asks for a text; null: another one is open, or none. */
  get prompt(): PromptDialog | null {
    const shown = this.#dialog?.shown;
    return typeof shown === "object" && shown !== null && "onConfirm" in shown
      ? (shown as PromptDialog)
      : null;
  }

  /** As Escape does it. */
  closeDialog(): void {
    const dialog = this.#dialog;
    this.#dialog = null;
    this.size = null;
    dialog?.dispose();
    dialog?.closed();
  }

  close(): void {
    this.closeDialog();
    for (const end of this.#ends.splice(0)) end();
    this.rendering.renderer.destroy();
  }

  get api(): TuiPluginApi {
    const terminal = this;
    const on = (type: string, listener: Listener) => {
      this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
    };
    const api = {
      renderer: this.rendering.renderer,
      theme: { current: {} },
      route: this.route,
      keymap: { registerLayer: (layer: Layer) => this.#register(layer) },
      lifecycle: { onDispose: (end: () => void) => void this.#ends.push(end) },
      slots: { register: (slot: Terminal["slots"][number]) => void this.slots.push(slot) },
      event: { on },
      ui: {
        toast: (toast: Toast) => void this.toasts.push(toast),
        DialogPrompt: (prompt: PromptDialog) => prompt,
        dialog: {
          get open() {
            return terminal.#dialog !== null;
          },
          clear: () => this.closeDialog(),
          setSize: (size: string) => {
            this.size = size;
          },
          replace: (make: () => unknown, closed: () => void = () => undefined) =>
            this.#replace(make, closed),
        },
      },
      client: {
        session: {
          command: async (asked: { command: string; arguments: string }) => {
            const { command, arguments: args } = asked;
            this.ran.push({ command, arguments: args });
            const error = this.ends();
            if (error instanceof Error) throw error;
            return { error };
          },
        },
        tui: {
          publish: async ({ body }: { body: { properties: { command: string } } }) =>
            void this.published.push(body.properties.command),
        },
      },
    };
    return api as unknown as TuiPluginApi;
  }

  /** What the host shows; a test's own signal where it changes. */
  route: object = { current: { name: "session", params: { sessionID: "ses_one" } } };

  #register(layer: Layer): () => void {
    this.#layers.add(layer);
    return () => this.#layers.delete(layer);
  }

  #replace(make: () => unknown, closed: () => void): void {
    const former = this.#dialog;
    this.#dialog = reactive.createRoot((dispose) => {
      const shown = make();
      const isDrawn = typeof shown === "object" && shown !== null && "destroy" in shown;
      if (isDrawn) this.show(shown as Renderable);
      return {
        shown,
        closed,
        dispose: () => {
          dispose();
          if (isDrawn) (shown as Renderable).destroy();
        },
      };
    });
    former?.dispose();
    former?.closed();
  }
}
