// Builds the inbox of one plugin instance.
import type { PluginInput } from "@opencode-ai/plugin";
import { Inbox } from "../inbox/inbox.ts";
import type { InboxDeps } from "../inbox/inbox-deps.ts";
import { HostIds } from "../inbox/message-id.ts";
import { isGone, newOwner } from "../inbox/owner.ts";
import { serviceOf } from "../inbox/serve.ts";
import type { InboxService } from "../inbox/service.ts";
import { type FailureReporter, faultFields } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Toast } from "../log/notices.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import type { SessionId } from "../storage/records.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import { attribute } from "../traces/span.ts";
import { inboxHost } from "./inbox-host.ts";

interface ComposeInboxDeps
  extends Pick<InboxDeps, "directory" | "recovery" | "missingSources" | "tell" | "now"> {
  readonly traces: SessionTraces;
  readonly client: PluginInput["client"];
  readonly database: DatabaseHandle;
  readonly failures: FailureReporter;
}

/** The inbox of one plugin instance, and the same as other plugins reach it. */
export interface ComposedInbox {
  readonly inbox: Inbox;
  readonly inboxService: InboxService;
  /** Calls `hear` when a look at a session has ended: it may have found prompts answered. */
  readonly afterLook: (hear: (sessionId: SessionId) => void) => void;
}

export function composeInbox(deps: ComposeInboxDeps): ComposedInbox {
  const { client, database, failures, now, traces } = deps;
  const host = inboxHost(client);
  const hearers: ((sessionId: SessionId) => void)[] = [];
  const inbox = new Inbox({
    ...deps,
    ensure: () => database.ensure(),
    database: () => database.current(),
    host,
    ids: new HostIds({ now, random: (bytes) => crypto.getRandomValues(bytes) }),
    owner: newOwner(),
    isGone,
    traced: (sessionId, look) =>
      traces
        .job({ name: "inbox", sessionId }, async (note) =>
          note({ [attribute.inboxOutcome]: await look() }),
        )
        .finally(() => {
          for (const hear of hearers) hear(sessionId);
        }),
    later: (work, delayMs) => setTimeout(work, delayMs).unref(),
    failed: (where, error) => failures.failed(where, error),
  });
  const afterLook = (hear: (sessionId: SessionId) => void) => void hearers.push(hear);
  return { inbox, inboxService: serviceOf(inbox, host), afterLook };
}

export function showToast(toast: Toast, log: Log, text: string): void {
  toast(text, "info").catch((error) => log.warn("inbox.toast_failed", faultFields(error)));
}
