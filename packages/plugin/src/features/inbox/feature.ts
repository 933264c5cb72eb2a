// Declares the feature to the host: prompts are stored before they run, are queued, and survive a crash.
import {
  INBOX,
  PROMPT_QUEUE,
  SESSION_ELSEWHERE_CHECKS,
  SESSION_NOTICES,
} from "../../feature-api/extension-points.ts";
import { defineFeature, type ProvidingFeatureInstance } from "../../feature-api/feature.ts";
import type { InboxService } from "../../feature-api/prompt.ts";
import { publishService } from "./service.ts";

export const inboxFeature = defineFeature({
  name: "inbox",
  commands: [
    {
      name: "ctx-queue",
      title: "Queue",
      description: "Queue a prompt until the session has settled; without text, show the queue",
      shows: "queue",
    },
    {
      name: "ctx-resume",
      title: "Resume",
      description: "Continue with prompts that were interrupted, stranded or held",
      shows: "answer",
    },
    {
      name: "ctx-interrupt",
      title: "Interrupt",
      description: "Stop what is running and hold the queue",
      shows: "answer",
    },
  ],
  tables: async () => (await import("./schema.ts")).inboxTables,
  publish: (directory, opened) => publishService(directory, createLazyService(opened)),
  provides: {
    inbox: INBOX,
    queue: PROMPT_QUEUE,
    notice: SESSION_NOTICES,
    isElsewhere: SESSION_ELSEWHERE_CHECKS,
  },
  open: async (context) => (await import("./create-inbox.ts")).createInboxFeature(context),
});

/** Returns the inbox as other plugins use it, from the host's start on. */
function createLazyService(
  opened: () => Promise<ProvidingFeatureInstance<{ readonly inbox: typeof INBOX }>>,
): InboxService {
  const openService = async () => {
    const { inbox } = (await opened()).provides;
    if (inbox) return inbox;
    throw new Error("The inbox could not be opened; the log says why.");
  };
  return {
    admit: async (prompt) => (await openService()).admit(prompt),
    list: async (sessionId) => (await openService()).list(sessionId),
    interrupt: async (sessionId) => (await openService()).interrupt(sessionId),
    resume: async (sessionId) => (await openService()).resume(sessionId),
  };
}
