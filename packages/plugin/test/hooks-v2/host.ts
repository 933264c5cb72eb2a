// OpenCode 2 as the checks use it. The stand-in is one, and so is a real host, whose path HOST_V2 gives.
import type { V2Message, V2Output } from "../../src/hooks-v2/context.ts";
import { RealHost } from "./real-host.ts";
import { StandIn } from "./stand-in.ts";

export interface V2Plugin {
  readonly id: string;
  readonly setup?: (ctx: unknown) => unknown;
}

export interface Answer {
  readonly text: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: object;
  }[];
}

export type Kind = "primary" | "compaction";

/** What goes to the provider. */
export interface SentRequest {
  readonly sessionId: string;
  readonly kind: Kind;
  readonly messages: readonly V2Message[];
  readonly tools: readonly string[];
}

export interface HostSettings {
  readonly plugins: readonly V2Plugin[];
  readonly model: (sent: SentRequest) => Answer | Promise<Answer>;
  /** The host's own tools, which the model calls. */
  readonly runTool: (name: string, input: object) => V2Output;
  /** What `generate.text` answers. */
  readonly generate?: (prompt: string) => string | Promise<string>;
  /** Tokens that the model takes; null: the host's catalogue does not say. */
  readonly windowTokens?: number;
}

export interface V2Host {
  readonly sent: readonly SentRequest[];
  /** Sessions with a step that failed, once for each. */
  readonly failed: readonly string[];
  /** Plugins that the host left out. */
  readonly refused: readonly string[];
  /** Resolves when the session has settled. */
  prompt(sessionId: string, text: string): Promise<void>;
  command(sessionId: string, name: string, text?: string): Promise<void>;
  /** Of the older part, but for so many messages; a real host keeps as much as it does by itself. */
  compact(sessionId: string, keepMessages: number): Promise<void>;
  /** The project's instructions have changed. */
  instruct(sessionId: string, text: string): void;
  /** What the host has on disk of the session, as text. */
  history(sessionId: string): Promise<string>;
  reload(plugins: readonly V2Plugin[]): Promise<void>;
  close(): Promise<void>;
}

/** The one line that puts a real host into the stand-in's place. */
export function openHost(settings: HostSettings): V2Host {
  const path = process.env.HOST_V2;
  return path ? new RealHost(path, settings) : new StandIn(settings);
}
