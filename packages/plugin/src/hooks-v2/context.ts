// The part of OpenCode 2's plugin API that the edge uses (read in 2.0.26; never run on a stable 2.x).

/** Something that was registered, and that `dispose` removes. */
export interface Registration {
  dispose(): unknown;
}

type Hook<Event> = (event: Event) => Promise<void>;

interface V2Text {
  readonly type: "text";
  readonly text: string;
}

/** A part of a message; kinds not listed here pass through unchanged. */
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
  /** The id of a user's or an assistant's message; `tool` and `system` messages have none. */
  readonly id?: string;
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly content: readonly V2Part[];
}

/** The events `context` and `compaction`: the request sends the values that a hook assigns. */
export interface V2ContextEvent {
  readonly sessionID: string;
  readonly agent: string;
  readonly model: { readonly id: string; readonly providerID: string };
  /** The call's tools by name; a tool that is removed here is not offered. */
  readonly tools?: Record<string, unknown>;
  messages: readonly V2Message[];
}

/** The event of `tool.hook("execute.after")`; a failed call has an `error` instead of a result. */
export interface V2ToolEvent {
  readonly tool: string;
  readonly id: string;
  readonly status: "completed" | "error";
  result?: V2Output;
}

export interface V2Output {
  /** The output, which goes to the model as JSON if `content` has no text. */
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
  /** If `codemode` is false, the model calls the tool directly. */
  readonly options: { readonly codemode: false };
  readonly execute: (input: unknown, call: V2ToolCall) => Promise<{ readonly content: string }>;
}

/** A command that runs at once and calls no model; the host does not show its result. */
export interface V2Command {
  readonly name: string;
  readonly description: string;
  readonly execute: (call: V2CommandCall) => Promise<void>;
}

interface V2CommandCall {
  readonly sessionID: string;
  /** The text after the command's name. */
  readonly prompt: { readonly text: string };
}

/** The event `http.request`: a request that goes to the provider. WebSocket transports have no such event. */
export interface V2HttpEvent {
  readonly sessionID: string;
  readonly kind: "primary" | "compaction" | "title" | "generate";
  readonly request: Request;
}

export interface V2Event {
  readonly type: string;
  readonly data?: unknown;
}

/**
 * A model of the catalogue; prices are in US dollars per million tokens, and the first ones apply to any
 * length.
 */
export interface V2Model {
  readonly id: string;
  readonly providerID: string;
  /** The model's name in requests. */
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

/** Declares what the plugin's part of the terminal UI may call, and the events that it receives. */
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
    /** Returns what is stored of the session since its newest compaction. The beta lacks this method. */
    context?(of: { readonly sessionID: string }): Promise<readonly unknown[]>;
    get?(of: { readonly sessionID: string }): Promise<unknown>;
  };
  /** Registers commands. The beta's are templates of prompts, so one with `execute` is left out there. */
  readonly command?: {
    transform(edit: (editor: { add(command: V2Command): void }) => void): unknown;
  };
  /** Registers tools. The beta's `transform` can't take them, so none of our tools is available there. */
  readonly tool?: {
    transform(edit: (editor: { add(tool: V2Tool): void }) => void): unknown;
    hook(name: "execute.after", hook: Hook<V2ToolEvent>): Promise<Registration>;
  };
  /** Publishes events. The beta has this member but none of those that follow. */
  readonly event?: {
    subscribe(options?: { readonly signal?: AbortSignal }): AsyncIterable<V2Event>;
  };
  /** Makes one call without a history, with the host's own login. */
  readonly generate?: {
    text(question: {
      readonly prompt: string;
      readonly model?: { readonly providerID: string; readonly id: string };
    }): Promise<{ readonly text: string }>;
  };
  readonly model?: { list(): Promise<readonly V2Model[] | { readonly data: readonly V2Model[] }> };
  readonly rpc?: V2Rpc;
}

/** Distinguishes OpenCode 2 from 1.18.20 and later, which calls `setup` too but offers no session there. */
export function isV2(ctx: unknown): ctx is V2Context {
  if (typeof ctx !== "object" || ctx === null) return false;
  const session: unknown = Reflect.get(ctx, "session");
  if (typeof session !== "object" || session === null) return false;
  return typeof Reflect.get(session, "hook") === "function";
}
