// Defines what jobs need of the host: a child session, one prompt in it, its end.

import type { Question } from "../feature-api/job.ts";
import type { TokenCharge } from "../storage/job-records.ts";
import type { SessionId } from "../storage/records.ts";

/** The outcome of a child session's one prompt. */
export type Reply = TokenCharge &
  (
    | {
        readonly kind: "text";
        readonly text: string;
        /** `cut`: the provider stopped at the limit. */
        readonly ending: "whole" | "cut";
      }
    | {
        readonly kind: "error";
        readonly code: "rate_limited" | "unavailable" | "refused" | "stopped";
      }
  );

export interface JobHost {
  /** Returns `provider/model`; null where there is none for jobs. */
  model(sessionId: SessionId | null): Promise<string | null>;
  /** Opens a child of the session, or a session without a parent, that the job alone uses. */
  open(jobId: number, parent: SessionId | null): Promise<SessionId>;
  /** Resolves when the model has answered or failed; the call's session accepts no second one. */
  prompt(
    childId: SessionId,
    call: Question & { readonly model: string; readonly maxOutputTokens: number },
  ): Promise<Reply>;
  /** Stops what runs in the child session. */
  abort(childId: SessionId): Promise<void>;
  /** Removes the session and all of its rows; does nothing where there is none. */
  remove(childId: SessionId): Promise<void>;
  /** Lists the jobs' sessions in the host, each with its job. */
  children(): Promise<readonly { readonly childId: SessionId; readonly jobId: number }[]>;
}
