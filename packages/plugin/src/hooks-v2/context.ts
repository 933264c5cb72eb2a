// What OpenCode 2 gives a plugin, as far as the edge uses it (read in the source of 2.0.26; never run on a stable 2.x).

/** Takes back what was registered. */
export interface Registration {
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
  /** Of the call, by name; what is taken out is not offered. */
  readonly tools?: Record<string, unknown>;
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
  /** Goes to the model as JSON where `content` has no text. */
  readonly output?: unknown;
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
  readonly execute: (call: V2CommandCall) => Promise<void>;
}

interface V2CommandCall {
  readonly sessionID: string;
  /** What stands after the command's name. */
  readonly prompt: { readonly text: string };
}

/** Of `http.request`: what goes to the provider. WebSocket transports have none. */
export interface V2HttpEvent {
  readonly sessionID: string;
  readonly kind: "primary" | "compaction" | "title" | "generate";
  readonly request: Request;
}

export interface V2Event {
  readonly type: string;
  readonly data?: unknown;
}

/** Of the host's catalogue; prices are in US dollars per million tokens, the first ones for any length. */
export interface V2Model {
  readonly id: string;
  readonly providerID: string;
  /** The name in requests. */
  readonly modelID?: string;
  readonly family?: string;
  readonly time?: { readonly released: number };
  readonly cost?: readonly {
    readonly input: number;
    readonly output: number;
    readonly cache: { readonly read: number; readonly write: number };
  }[];
  readonly limit?: { readonly context: number; readonly input?: number; readonly output: number };
}

/** What the terminal UI's part may call, and how it hears of something. */
export interface V2Rpc {
  register(
    definition: object,
    handlers: Readonly<Record<string, (input: unknown) => Promise<unknown>>>,
  ): Promise<Registration & { readonly events: V2Emitter }>;
}

export interface V2Emitter {
  emit(name: string, data: unknown): Promise<unknown>;
}

export interface V2Context {
  readonly options?: unknown;
  readonly location?: { readonly directory?: unknown };
  readonly session: {
    hook(name: "context" | "compaction", hook: Hook<V2ContextEvent>): Promise<Registration>;
    hook(name: "http.request", hook: Hook<V2HttpEvent>): Promise<Registration>;
    /** What is stored of the session since its newest compaction. The beta lacks it. */
    context?(of: { readonly sessionID: string }): Promise<readonly unknown[]>;
    get?(of: { readonly sessionID: string }): Promise<unknown>;
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
  /** The beta has this one, and none of those that follow. */
  readonly event?: {
    subscribe(options?: { readonly signal?: AbortSignal }): AsyncIterable<V2Event>;
  };
  /** One call without a history, with the host's own login. */
  readonly generate?: {
    text(question: {
      readonly prompt: string;
      readonly model?: { readonly providerID: string; readonly id: string };
    }): Promise<{ readonly text: string }>;
  };
  readonly model?: { list(): Promise<readonly V2Model[] | { readonly data: readonly V2Model[] }> };
  readonly rpc?: V2Rpc;
}

/** OpenCode from 1.18.20 on calls `setup` too, and offers no session there. */
export function isV2(ctx: unknown): ctx is V2Context {
  if (typeof ctx !== "object" || ctx === null) return false;
  const session: unknown = Reflect.get(ctx, "session");
  if (typeof session !== "object" || session === null) return false;
  return typeof Reflect.get(session, "hook") === "function";
}
