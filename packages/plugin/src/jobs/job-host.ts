// What jobs ask of the host: a child session, one prompt in it, its end.

import type { Question } from "../feature-api/job.ts";
import type { TokenCharge } from "../storage/job-records.ts";
import type { SessionId } from "../storage/records.ts";

/** How the one prompt of a child session ended. */
export type Reply = TokenCharge &
  (
    | {
        readonly kind: "text";
        readonly text: string;
        /** The provider stopped at the limit. */
        readonly ending: "whole" | "cut";
      }
    | {
        readonly kind: "error";
        readonly code: "rate_limited" | "unavailable" | "refused" | "stopped";
      }
  );

export interface JobHost {
  /** `provider/model`; null where there is none for jobs. */
  model(sessionId: SessionId | null): Promise<string | null>;
  /** A child of the session, or one of nobody, that the job alone uses. */
  open(jobId: number, parent: SessionId | null): Promise<SessionId>;
  /** Resolves when the model has answered or failed; the call's session takes no second one. */
  prompt(
    childId: SessionId,
    call: Question & { readonly model: string; readonly maxOutputTokens: number },
  ): Promise<Reply>;
  /** Stops what runs there. */
  abort(childId: SessionId): Promise<void>;
  /** The session and all of its rows; nothing happens where there is none. */
  remove(childId: SessionId): Promise<void>;
  /** Sessions of jobs that are in the host, with the job that each is of. */
  children(): Promise<readonly { readonly childId: SessionId; readonly jobId: number }[]>;
}
