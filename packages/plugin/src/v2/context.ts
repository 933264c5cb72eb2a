// What OpenCode 2 gives a plugin, as far as the edge uses it (read in the source of 2.0.26; never run on a stable 2.x).

/** Takes back what was registered. */
interface Registration {
  dispose(): unknown;
}

type Hook<Event> = (event: Event) => Promise<void>;

interface V2Text {
  readonly type: "text";
  readonly text: string;
}

/** Of a message's parts; those that are not listed pass through as they are. */
export type V2Part =
  | V2Text
  | { readonly type: "reasoning"; readonly text: string; readonly providerMetadata?: unknown }
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly providerExecuted?: boolean;
    }
  | {
      readonly type: "tool-result";
      readonly id: string;
      readonly name: string;
      readonly result: V2Result;
      readonly providerExecuted?: boolean;
    };

export interface V2Result {
  readonly type: "text" | "json" | "error" | "content";
  readonly value: unknown;
}

export interface V2Message {
  /** The user's and the assistant's have one; `tool` and `system` have none. */
  readonly id?: string;
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly content: readonly V2Part[];
}

/** Of `context` and `compaction`: what is assigned is what this request sends. */
export interface V2ContextEvent {
  readonly sessionID: string;
  readonly agent: string;
  readonly model: { readonly id: string; readonly providerID: string };
  messages: readonly V2Message[];
}

/** Of `tool.hook("execute.after")`; a call that failed has an `error` instead of a result. */
export interface V2ToolEvent {
  readonly tool: string;
  readonly id: string;
  readonly status: "completed" | "error";
  result?: V2Output;
}

export interface V2Output {
  readonly content?: string | readonly unknown[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface V2ToolCall {
  readonly sessionID: string;
  readonly agent: string;
  readonly messageID: string;
  readonly signal: AbortSignal;
}

export interface V2Tool {
  readonly name: string;
  readonly description: string;
  readonly input: object;
  /** `codemode` false: the model calls it directly. */
  readonly options: { readonly codemode: false };
  readonly execute: (input: unknown, call: V2ToolCall) => Promise<{ readonly content: string }>;
}

/** Runs at once and calls no model; the host shows nothing of what it comes to. */
export interface V2Command {
  readonly name: string;
  readonly description: string;
  readonly execute: (call: { readonly sessionID: string }) => Promise<void>;
}

export interface V2Context {
  readonly options?: unknown;
  readonly location?: { readonly directory?: unknown };
  readonly session: {
    hook(name: "context" | "compaction", hook: Hook<V2ContextEvent>): Promise<Registration>;
  };
  /** The beta's commands are templates of prompts: one with `execute` is left out there. */
  readonly command?: {
    transform(edit: (editor: { add(command: V2Command): void }) => void): unknown;
  };
  /** The beta has no `transform` that takes these tools; it is left without them. */
  readonly tool?: {
    transform(edit: (editor: { add(tool: V2Tool): void }) => void): unknown;
    hook(name: "execute.after", hook: Hook<V2ToolEvent>): Promise<Registration>;
  };
}

/** OpenCode from 1.18.20 on calls `setup` too, and offers no session there. */
export function isV2(ctx: unknown): ctx is V2Context {
  if (typeof ctx !== "object" || ctx === null) return false;
  const session: unknown = Reflect.get(ctx, "session");
  if (typeof session !== "object" || session === null) return false;
  return typeof Reflect.get(session, "hook") === "function";
}
