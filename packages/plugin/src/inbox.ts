// Public entry for other plugins: `inboxOf`, its errors and types.
import type {
  AdmitResult,
  AdmittedPrompt,
  InboxService,
  InterruptResult,
  PromptToAdmit,
  ResumeResult,
} from "./feature-api/prompt.ts";
import { getSharedServices } from "./features/inbox/service.ts";

export type {
  AdmitResult,
  AdmittedPrompt,
  InterruptResult,
  PromptDelivery,
  PromptPartInput,
  PromptToAdmit,
  ResumeResult,
} from "./feature-api/prompt.ts";

/** No Session Runtime is running, or is running yet, for this directory in this process. */
export class InboxUnavailableError extends Error {
  readonly code = "inbox_unavailable";
  constructor(readonly directory: string) {
    super(
      `Session Runtime is not running for ${directory} in this process. Is it listed in opencode.json, and enabled? It is available once all plugins have started: ask from a hook, not while your plugin starts.`,
    );
    this.name = "InboxUnavailableError";
  }
}

export class UnknownSessionError extends Error {
  readonly code = "unknown_session";
  constructor(readonly sessionId: string) {
    super(`OpenCode has no session ${JSON.stringify(sessionId)}: nothing was stored.`);
    this.name = "UnknownSessionError";
  }
}

/** A field of the request does not have the required form. */
export class InvalidPromptError extends Error {
  readonly code = "invalid_prompt";
  constructor(
    readonly field: string,
    wanted: string,
  ) {
    super(`\`${field}\` must be ${wanted}: nothing was stored.`);
    this.name = "InvalidPromptError";
  }
}

/** The durable inbox of one directory's sessions. Each call may also reject with a StorageError. */
export interface SessionInbox {
  /**
   * Admits a text that is sent when the session has settled; it is on disk when the promise resolves.
   * @throws InboxUnavailableError, UnknownSessionError, InvalidPromptError
   */
  queue(sessionId: string, text: string): Promise<AdmittedPrompt>;
  /**
   * Admits a prompt like `queue`, with an id, parts and delivery of the caller's choice.
   * @throws InboxUnavailableError, UnknownSessionError, InvalidPromptError
   */
  admit(prompt: PromptToAdmit): Promise<AdmitResult>;
  /** Lists the prompts in the queue, the next one first. @throws InboxUnavailableError, InvalidPromptError */
  list(sessionId: string): Promise<readonly AdmittedPrompt[]>;
  /** Stops what is running, and holds the queue. @throws InboxUnavailableError, InvalidPromptError */
  interrupt(sessionId: string): Promise<InterruptResult>;
  /** Continues what was interrupted or held. @throws InboxUnavailableError, InvalidPromptError */
  resume(sessionId: string): Promise<ResumeResult>;
}

/**
 * Returns the inbox of the directory that your plugin was started for. It may be called at any time: the
 * runtime is looked up at each call, so it may be loaded later than your plugin, or loaded again.
 */
export function inboxOf(directory: string): SessionInbox {
  const findService = (): InboxService => {
    const found = getSharedServices().get(directory);
    if (!found) throw new InboxUnavailableError(directory);
    return found;
  };
  const admit = async (prompt: PromptToAdmit) => {
    const checked = checkPrompt(prompt);
    const result = await findService().admit(checked);
    if (result === null) throw new UnknownSessionError(checked.sessionId);
    return result;
  };
  return {
    async queue(sessionId, text) {
      const parts = [{ type: "text", text }];
      return (await admit({ sessionId, id: null, delivery: "queue", parts })).prompt;
    },
    admit,
    list: async (sessionId) => findService().list(checkSessionId(sessionId)),
    interrupt: async (sessionId) => findService().interrupt(checkSessionId(sessionId)),
    resume: async (sessionId) => findService().resume(checkSessionId(sessionId)),
  };
}

/** Checks a prompt, as callers may be plain JavaScript and errors would otherwise show much later. */
function checkPrompt({ sessionId, id, delivery, parts }: PromptToAdmit): PromptToAdmit {
  checkSessionId(sessionId);
  if (id !== null && (typeof id !== "string" || id === "")) {
    throw new InvalidPromptError("id", "a text that is not empty, or null");
  }
  if (delivery !== "queue" && delivery !== "steer") {
    throw new InvalidPromptError("delivery", '"queue" or "steer"');
  }
  if (!Array.isArray(parts) || parts.length === 0) {
    throw new InvalidPromptError("parts", "a list of one part or more");
  }
  for (const [index, part] of parts.entries()) {
    if (typeof part !== "object" || part === null || typeof part.type !== "string") {
      throw new InvalidPromptError(`parts[${index}]`, 'an object like { type: "text", text }');
    }
    if (part.type === "text" && (typeof part.text !== "string" || part.text.trim() === "")) {
      throw new InvalidPromptError(`parts[${index}].text`, "a text that is not empty");
    }
  }
  return { sessionId, id, delivery, parts };
}

/** The id becomes part of the host's URLs, where nothing but an id may go. */
const SESSION_ID_PATTERN = /^ses[\w-]*$/;

function checkSessionId(sessionId: string): string {
  if (typeof sessionId === "string" && SESSION_ID_PATTERN.test(sessionId)) return sessionId;
  throw new InvalidPromptError("sessionId", "the id of a session, like ses_…");
}
