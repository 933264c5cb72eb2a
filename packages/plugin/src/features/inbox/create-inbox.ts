// Creates the inbox of one plugin instance, driven by the host's events, and exposes it to other plugins.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { FeatureHooks, SessionEvent } from "../../feature-api/feature-hooks.ts";
import type {
  AdmittedPrompt,
  InboxHost,
  InboxService,
  ResumeResult,
} from "../../feature-api/prompt.ts";
import type { ShownQueue } from "../../feature-api/screen.ts";
import { attributeNames } from "../../feature-api/span.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { SessionId } from "../../storage/records.ts";
import { PromptRefusedError } from "./arrival.ts";
import { Inbox } from "./inbox.ts";
import { HostIds, selectInboxStores } from "./inbox-deps.ts";
import type { Outcome } from "./plan.ts";
import { createOwnerId, isProcessDead } from "./process-id.ts";
import { createInboxCommands } from "./queue.ts";
import type { InputRecord } from "./records.ts";
import { describeOutcome } from "./words.ts";

// Exposes the inbox to other plugins in the process.

/** Creates the inbox as other plugins of the process use it. */
export function createInboxService(inbox: Inbox, host: Pick<InboxHost, "session">): InboxService {
  return {
    async admit({ sessionId, id, delivery, parts }) {
      const session = sessionId as SessionId;
      if ((await host.session(session)) === null) return null;
      const given = { id, parts, delivery, reply: "wanted" } as const;
      const { kind, record } = await inbox.admit({ sessionId: session, ...given });
      return { kind, prompt: toAdmittedPrompt(record) };
    },
    async list(sessionId) {
      const queue = await inbox.readQueue(sessionId as SessionId);
      return queue.listFirst(queue.length).map(toAdmittedPrompt);
    },
    interrupt: (sessionId) => inbox.interrupt(sessionId as SessionId),
    async resume(sessionId) {
      const went = await inbox.resume(sessionId as SessionId);
      return { kind: toResumeKind(went), message: describeOutcome(went) };
    },
  };
}

function toAdmittedPrompt(record: InputRecord): AdmittedPrompt {
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

/** The delay between a call's hooks and the write that follows; by then the request is on its way. */
const RECHECK_AFTER_SEND_MS = 40;

/**
 * The recovery starts this long after all plugins have started, because the host itself answers a little
 * later.
 */
const RECOVERY_DELAY_MS = 1_000;

/** The most prompts that the queue's dialog shows. */
const MAX_SHOWN_PROMPTS = 100;

interface InboxInstance extends FeatureInstance {
  readonly provides: {
    readonly inbox: InboxService;
    readonly queue: (sessionId: SessionId) => Promise<ShownQueue>;
    readonly notice: (sessionId: SessionId) => string | null;
    readonly isElsewhere: (sessionId: SessionId) => Promise<boolean>;
  };
}

export function createInboxFeature(context: FeatureContext): InboxInstance {
  const inbox = createInbox(context);
  return {
    commands: createInboxCommands(inbox),
    hooks: createHooks(context, inbox),
    provides: {
      inbox: createInboxService(inbox, context.host.prompts),
      queue: (sessionId) => readShownQueue(inbox, sessionId),
      notice: (sessionId) => inbox.findHoldNotice(sessionId),
      isElsewhere: async (sessionId) => (await inbox.check(sessionId)).kind === "elsewhere",
    },
  };
}

function createInbox(context: FeatureContext): Inbox {
  const { config, database, failures, host, location, log, now, toast, traces } = context;
  return new Inbox({
    directory: location.directory,
    recovery: config.recovery,
    now,
    ensure: () => database.ensure(),
    database: () => selectInboxStores(database.current()),
    host: host.prompts,
    ids: new HostIds({ now, random: (bytes) => crypto.getRandomValues(bytes) }),
    owner: createOwnerId(),
    isProcessDead,
    missingSources: async (prompt) =>
      config.onUnavailable === "block" ? context.missingSources(prompt) : [],
    traced: (sessionId, look) =>
      traces
        .traceJob({ name: "inbox", sessionId }, async (note) =>
          note({ [attributeNames.inboxOutcome]: await look() }),
        )
        // A check asks the host, so the turn's last event has passed by the time the check finds the prompt
        // answered.
        .finally(() => context.changed(sessionId)),
    later: (work, delayMs) => setTimeout(work, delayMs).unref(),
    notify: (sessionId, text) => {
      log.info("inbox.reported", { session: sessionId, text });
      context.changed(sessionId);
      if (!config.notices.toast) return;
      toast(text, "info").catch((error) => log.warn("inbox.toast_failed", toFaultFields(error)));
    },
    failed: (where, error) => failures.failed(where, error),
    worked: (where) => failures.worked(where),
  });
}

async function readShownQueue(inbox: Inbox, sessionId: SessionId): Promise<ShownQueue> {
  const queue = await inbox.readQueue(sessionId);
  return {
    activity: queue.isIdle ? "idle" : "busy",
    waiting: queue.listPrompts(MAX_SHOWN_PROMPTS),
    length: queue.length,
  };
}

function createHooks(
  { database, failures, log, traces }: FeatureContext,
  inbox: Inbox,
): FeatureHooks {
  let hasStarted = false;
  const recovered = Promise.withResolvers<void>();
  const recover = () => {
    const job = { name: "recovery", sessionId: null } as const;
    const recovering = traces.traceJob(job, () => inbox.recover());
    recovering
      .catch((error) => failures.failed("recovery", error))
      .finally(() => recovered.resolve());
  };
  return {
    /** Starts the recovery of what an earlier process has left, once the host answers. */
    started() {
      if (!hasStarted) setTimeout(recover, RECOVERY_DELAY_MS).unref();
      hasStarted = true;
    },
    async arriving(prompt, refuse) {
      try {
        await inbox.onArrival(prompt);
      } catch (error) {
        if (!(error instanceof PromptRefusedError)) throw error;
        log.info("prompt.refused", { reason: error.reason, session: prompt.sessionId });
        refuse(error.message);
      }
    },
    boundary: ({ sessionId, history }) =>
      inbox.onBoundary(sessionId, history, RECHECK_AFTER_SEND_MS),
    async onEvent(happening) {
      if (needsDatabase(happening)) await database.ensure();
      inbox.onEvent(happening);
    },
    settled: async (sessionId) => inbox.onSettled(sessionId),
    /** Checks first, so that a prompt that has just been answered is not reported as open. */
    async reporting(sessionId) {
      try {
        await inbox.check(sessionId);
      } catch (error) {
        log.warn("command.inbox", toFaultFields(error));
      }
    },
    /** Waits for the recovery, so that what it continues is not reported as left. */
    async opened(sessionId) {
      await recovered.promise;
      await inbox.onOpened(sessionId);
    },
    closed: () => inbox.close(),
  };
}

function needsDatabase({ kind }: SessionEvent): boolean {
  return kind === "busy" || kind === "idle" || kind === "removed";
}
