// Types the API of Pi for extensions, as far as the edge uses it (Pi 1.5.2 to 1.6.0).

export interface PiText {
  readonly type: "text";
  readonly text: string;
}

interface PiImage {
  readonly type: "image";
  readonly mimeType: string;
  readonly data: string;
}

interface PiThinking {
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinkingSignature?: string;
}

export interface PiToolCall {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export type PiContent = string | readonly (PiText | PiImage)[];

export interface PiUser {
  readonly role: "user";
  readonly content: PiContent;
  readonly timestamp: number;
}

export interface PiAssistant {
  readonly role: "assistant";
  readonly content: readonly (PiText | PiThinking | PiToolCall)[];
  readonly provider: string;
  readonly model: string;
  readonly usage: PiUsage;
  readonly stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  readonly errorMessage?: string;
  readonly timestamp: number;
}

export interface PiUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: { readonly total: number };
}

export interface PiToolResult {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (PiText | PiImage)[];
  readonly isError: boolean;
  readonly timestamp: number;
}

/** Types messages that Pi itself sends as a user's message while they are unchanged. */
export type PiOther =
  | { readonly role: "custom"; readonly content: PiContent; readonly timestamp: number }
  | {
      readonly role: "bashExecution";
      readonly command: string;
      readonly output: string;
      readonly excludeFromContext?: boolean;
      readonly timestamp: number;
    }
  | { readonly role: "branchSummary"; readonly summary: string; readonly timestamp: number }
  | { readonly role: "compactionSummary"; readonly summary: string; readonly timestamp: number };

/**
 * A system message. The first one has the whole prompt and all tools; later ones patch sections (null: gone)
 * and tools.
 */
export interface PiSystem {
  readonly role: "system";
  readonly content: string | readonly PiText[];
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly { readonly name: string; readonly description?: string }[];
  readonly toolsRemoved?: readonly unknown[];
  readonly timestamp: number;
}

export type PiMessage = PiUser | PiAssistant | PiToolResult | PiOther | PiSystem;

/** An entry of the current branch, with its messages. */
export interface PiEntry {
  readonly sourceEntry: { readonly id: string };
  readonly messages: readonly PiMessage[];
}

export interface PiModel {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly compat?: { readonly supportsMidConvoSystemMessages?: boolean };
  /** Prices in US dollars per million tokens. */
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

export interface PiModels {
  getApiKeyAndHeaders(
    model: PiModel,
  ): Promise<{ readonly apiKey?: string; readonly headers?: object }>;
  find(provider: string, id: string): PiModel | undefined;
  /** Lists the models that the user has a login for. */
  getAvailable(): readonly PiModel[];
  complete(
    model: PiModel,
    asked: { readonly messages: readonly object[] },
    options: { readonly maxTokens: number; readonly signal: AbortSignal },
  ): Promise<PiAssistant>;
}

interface PiComponent {
  render(width: number): readonly string[];
  invalidate(): void;
}

export interface PiContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly mode: "tui" | "rpc" | "json" | "print";
  readonly model: PiModel | undefined;
  isIdle(): boolean;
  /** Returns the prompt that this run sends, including another extension's replacement. */
  getSystemPrompt(): string;
  readonly ui: {
    notify(text: string, kind: "info" | "warning" | "error"): void;
    /** Sets a line of the footer. */
    setStatus(key: string, text: string): void;
    /** Shows lines above the editor, or a component in a terminal; undefined removes them. */
    setWidget(key: string, shown: readonly string[] | (() => PiComponent) | undefined): void;
    /** Sets the editor's text without sending it. */
    setEditorText(text: string): void;
    /** Asks the user to choose; undefined where the user cancels. */
    select(title: string, options: readonly string[]): Promise<string | undefined>;
  };
  readonly modelRegistry: PiModels;
  readonly sessionManager: {
    getSessionId(): string;
    getHeader(): { readonly parentSession?: string } | null;
    buildSessionProjection(): { readonly entries: readonly PiEntry[] };
  };
}

export interface PiToolDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  readonly execute: (
    callId: string,
    given: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    ctx: PiContext,
  ) => Promise<{ readonly content: readonly PiText[]; readonly details: object }>;
}

/** Holds the inputs of Pi's compaction, which is passed on with its other fields. */
export interface PiPreparation {
  readonly firstKeptEntryId: string;
  readonly messagesToSummarize: readonly PiMessage[];
  readonly isSplitTurn: boolean;
}

export interface PiEvents {
  session_before_compact: {
    readonly preparation: PiPreparation;
    readonly customInstructions?: string;
    readonly signal: AbortSignal;
  };
  session_start: { readonly reason: string };
  session_shutdown: object;
  /** The user's input, which is not sent where the answer is `handled`. */
  input: { readonly text: string; readonly source: "interactive" | "rpc" | "extension" };
  agent_start: object;
  agent_settled: object;
  session_compact: object;
  /**
   * The very list that is sent, which handlers never change in place. They return another list, or nothing.
   */
  context_with_system: { readonly messages: readonly PiMessage[] };
  tool_result: {
    readonly toolName: string;
    readonly toolCallId: string;
    /** The script's call that made this call. */
    readonly parentToolCallId?: string;
    readonly content: readonly object[];
    readonly details?: unknown;
    readonly structuredContent?: unknown;
  };
  turn_end: { readonly message: PiMessage; readonly messageEntryId?: string };
}

/** Replaces a result. Pi drops the structure of a result whose replacement has none. */
export interface PiPatch {
  readonly content: readonly object[];
  readonly details: unknown;
  readonly structuredContent?: unknown;
}

export interface PiApi {
  on<Name extends keyof PiEvents>(
    name: Name,
    handler: (event: PiEvents[Name], ctx: PiContext) => Promise<unknown>,
  ): void;
  /** Sends a message; `nextTurn` adds it to the user's next prompt. */
  sendMessage(
    message: { readonly customType: string; readonly content: string; readonly display: boolean },
    options: { readonly deliverAs: "nextTurn" },
  ): void;
  /** Starts a turn unless one is running. */
  sendUserMessage(text: string): void;
  /** Lists commands; templates and skills have a file. */
  getCommands(): readonly {
    readonly name: string;
    readonly source: string;
    readonly sourceInfo?: { readonly path: string };
  }[];
  registerTool(tool: PiToolDefinition): void;
  registerCommand(
    name: string,
    command: {
      readonly description: string;
      readonly handler: (args: string, ctx: PiContext) => Promise<void>;
    },
  ): void;
}
