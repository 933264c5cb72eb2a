// Exposes the inbox to other plugins in the process.

import type {
  AdmittedPrompt,
  InboxService,
  ResumeResult,
} from "../../feature-api/inbox-service.ts";
import type { InboxHost } from "../../feature-api/prompt-host.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Inbox } from "./inbox.ts";
import type { Outcome } from "./plan.ts";
import type { InputRecord } from "./records.ts";
import { describeDrive } from "./words.ts";

/** The inbox as other plugins of the process reach it. */
export function createService(inbox: Inbox, host: Pick<InboxHost, "session">): InboxService {
  return {
    async admit({ sessionId, id, delivery, parts }) {
      const session = sessionId as SessionId;
      if ((await host.session(session)) === null) return null;
      const given = { id, parts, delivery, reply: "wanted" } as const;
      const { kind, record } = await inbox.admit({ sessionId: session, ...given });
      return { kind, prompt: admittedPrompt(record) };
    },
    async list(sessionId) {
      const queue = await inbox.queue(sessionId as SessionId);
      return queue.shown(queue.length).map(admittedPrompt);
    },
    interrupt: (sessionId) => inbox.interrupt(sessionId as SessionId),
    async resume(sessionId) {
      const went = await inbox.resume(sessionId as SessionId);
      return { kind: toResumeKind(went), message: describeDrive(went) };
    },
  };
}

function admittedPrompt(record: InputRecord): AdmittedPrompt {
  const { id, sessionId, delivery, preview, admittedAtMs } = record;
  return { id, sessionId, delivery, preview, admittedAtMs };
}

function toResumeKind({ kind }: Outcome): ResumeResult["kind"] {
  switch (kind) {
    case "nothing":
    case "busy":
    case "elsewhere":
    case "undone":
      return kind;
    case "rest":
      return "nothing";
    case "hold":
      return "held";
    case "promote":
    case "send":
    case "replace":
    case "again":
      return "going-on";
  }
}
