import type { StoredPrompt } from "../../../src/feature-api/prompt.ts";
import type { LeaseRequest } from "../../../src/features/inbox/lease-store.ts";
import type { Delivery, NewInput } from "../../../src/features/inbox/records.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { session } from "../../storage/records.ts";

export function createPrompt(text: string): StoredPrompt {
  return {
    form: "given",
    reply: "wanted",
    parts: [{ type: "text", text }],
    agent: null,
    model: null,
    variant: null,
    system: null,
    format: null,
  };
}

export function inputRecord(
  id: string,
  delivery: Delivery,
  sessionId: SessionId = session,
): NewInput {
  const text = `The prompt ${id}`;
  return {
    sessionId,
    id,
    directory: "/project",
    delivery,
    state: delivery === "queue" ? "waiting" : "handed",
    messageId: delivery === "queue" ? null : id,
    digest: "0123456789abcdef",
    preview: text,
    prompt: createPrompt(text),
    admittedAtMs: 10,
  };
}

export function createLeaseRequest(
  owner: string,
  change: Partial<LeaseRequest> = {},
): LeaseRequest {
  return {
    sessionId: session,
    owner,
    nowMs: 100,
    expiresAtMs: 200,
    isProcessDead: () => false,
    ...change,
  };
}
