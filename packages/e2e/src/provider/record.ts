// One request as it came over the wire, and its outcome.
import type { BilledCall } from "../billing/ideal.ts";
import type { Usage } from "../billing/rates.ts";
import type { JsonObject } from "../json.ts";
import type { DialectName } from "./dialect.ts";

/** Whose call it is: the host's title agent, its compaction, a job of the plugin's, or the session's own loop. */
export type CallKind = "title" | "compaction" | "job" | "main";

type Outcome =
  | { readonly type: "pending" }
  | { readonly type: "answered" | "broken"; readonly usage: Usage }
  | { readonly type: "failed"; readonly status: number }
  /** The request was not valid: status 400 with this reason. */
  | { readonly type: "rejected"; readonly reason: string }
  /** The host hung up before an answer. */
  | { readonly type: "aborted" };

/** One request as it came over the wire, and what became of it. */
export interface CallRecord extends Omit<BilledCall, "usage"> {
  /** Position in the order of arrival. */
  readonly index: number;
  readonly dialect: DialectName;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: Uint8Array;
  readonly body: JsonObject;
  readonly kind: CallKind;
  /** All system texts of the request, joined by a newline. */
  readonly system: string;
  outcome: Outcome;
}

/** The calls that were billed, in the form that the bills take. */
export function billed<Call extends CallRecord>(calls: readonly Call[]): (Call & BilledCall)[] {
  return calls.flatMap((call) =>
    call.outcome.type === "answered" || call.outcome.type === "broken"
      ? [{ ...call, usage: call.outcome.usage }]
      : [],
  );
}

/** The reasons of all requests that a real provider would have refused. */
export function rejections(calls: readonly CallRecord[]): readonly string[] {
  return calls.flatMap(({ index, outcome }) =>
    outcome.type === "rejected" ? [`call ${index}: ${outcome.reason}`] : [],
  );
}
