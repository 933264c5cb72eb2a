// Sends one request with native updates, and falls back to text.
import type { FormDecision } from "../../storage/form-store.ts";
import { lowerAnthropicBody } from "./anthropic.ts";
import type { JsonObject, LoweredBody } from "./body.ts";
import type { FormCache } from "./forms.ts";
import { chatShape, lowerOpenAiBody, responsesShape } from "./openai.ts";
import type { LoweringPlan, PlannedUpdate } from "./plan.ts";

/** The API whose rules apply, determined by the request's path. */
export type Dialect = "anthropic" | "chat" | "responses";

/** One request of a call for which a plan exists. */
interface LowerableRequest {
  readonly dialect: Dialect;
  readonly body: JsonObject;
  /** Sends the request; a null body stands for the exact body that the host made. */
  readonly send: (body: string | null) => Promise<Response>;
}

/** The reason why updates go as text from now on, although they were or would have been native. */
export interface LoweringFailure {
  readonly why: "place" | "refused";
  readonly updates: number;
  /**
   * The number of updates that an earlier call had sent natively: the cached prefix is lost from the first of
   * them on.
   */
  readonly sentBefore: number;
}

export interface LoweringDeps {
  readonly forms: FormCache;
  /** Called when the provider, or a later message of the user's, has forced some updates back to text. */
  readonly fellBack: (plan: LoweringPlan, fallBack: LoweringFailure) => void;
  /** Called when something of ours went wrong; the host's own request is sent. */
  readonly failed: (error: unknown) => void;
  /** Called after each request that was prepared without an error, which ends a failure that was reported. */
  readonly worked: () => void;
}

const BAD_REQUEST_STATUS = 400;

/**
 * Sends a call's request with its updates in the form in which this model was first sent them; new updates
 * are native if their place allows it. The form is stored before the request is sent. If the provider answers
 * with 400, the request is sent again with the new updates as text, and then with all of them as text.
 */
export async function sendLowered(
  deps: LoweringDeps,
  plan: LoweringPlan,
  request: LowerableRequest,
): Promise<Response> {
  const lowered = tryAdmitUpdates(deps, plan, request);
  if (!lowered || lowered.nativeSeqs.length === 0) return request.send(null);
  const response = await request.send(JSON.stringify(lowered.body));
  if (response.status !== BAD_REQUEST_STATUS) return response;
  return resendRefused(deps, plan, request, { ...lowered, response });
}

interface AdmittedBody extends LoweredBody {
  /** The ranks in `native` of updates that no call has sent before. */
  readonly fresh: readonly number[];
}

/** Guards `admit`, because anything that it throws would reach the host as a failed request. */
function tryAdmitUpdates(
  deps: LoweringDeps,
  plan: LoweringPlan,
  request: LowerableRequest,
): AdmittedBody | null {
  try {
    const admitted = admitUpdates(deps, plan, request);
    deps.worked();
    return admitted;
  } catch (error) {
    deps.failed(error);
    return null;
  }
}

/** Decides which updates are now sent natively, and stores the decision; null if none is. */
function admitUpdates(
  deps: LoweringDeps,
  plan: LoweringPlan,
  { dialect, body }: LowerableRequest,
): AdmittedBody | null {
  const { owner, updates } = plan;
  const known = deps.forms.readForms(owner);
  const isNew = ({ seq, age }: PlannedUpdate) => age === "fresh" && !known.has(seq);
  const asked = updates.some(isNew) && !deps.forms.isRefused(owner) ? updates.filter(isNew) : [];
  const kept = updates.filter(({ seq }) => known.get(seq) === "native");
  const wanted = updates.filter((update) => kept.includes(update) || asked.includes(update));
  if (wanted.length === 0) return null;
  const lowered = lowerBody(dialect, body, wanted);
  if (!lowered) return null;
  const displaced = lowered.displacedSeqs.filter((seq) => known.has(seq));
  if (displaced.length > 0) {
    deps.forms.decide(owner, displaced.map(createWrappedDecision("place")));
    const { length } = displaced;
    deps.fellBack(plan, { why: "place", updates: length, sentBefore: length });
  }
  const fresh = lowered.nativeSeqs.filter((seq) => !known.has(seq));
  if (deps.forms.decide(owner, fresh.map(createNativeDecision)) === "stored")
    return { ...lowered, fresh };
  // Commit before send: an update whose form could not be stored is sent as text.
  const stored = kept.filter(({ seq }) => !lowered.displacedSeqs.includes(seq));
  const without = lowerBody(dialect, body, stored);
  return without && { ...without, fresh: [] };
}

interface RefusedRequest extends AdmittedBody {
  readonly response: Response;
}

async function resendRefused(
  deps: LoweringDeps,
  plan: LoweringPlan,
  { dialect, body, send }: LowerableRequest,
  refused: RefusedRequest,
): Promise<Response> {
  const accepted = plan.updates.filter(
    ({ seq }) => refused.nativeSeqs.includes(seq) && !refused.fresh.includes(seq),
  );
  // If no update is new, the provider can only be rejecting all of them together.
  const fewer = refused.fresh.length > 0 && accepted.length > 0 ? [accepted] : [];
  let { response } = refused;
  for (const kept of [...fewer, []]) {
    await response.body?.cancel();
    const lowered = kept.length === 0 ? null : lowerBody(dialect, body, kept);
    response = await send(lowered && JSON.stringify(lowered.body));
    if (response.status === BAD_REQUEST_STATUS) continue;
    // Other failures reveal nothing about the form.
    if (response.ok) {
      const given = refused.nativeSeqs.filter((seq) => !lowered?.nativeSeqs.includes(seq));
      deps.forms.decide(plan.owner, given.map(createWrappedDecision("refused")));
      const before = given.filter((seq) => !refused.fresh.includes(seq));
      deps.fellBack(plan, { why: "refused", updates: given.length, sentBefore: before.length });
    }
    return response;
  }
  return response;
}

function lowerBody(
  dialect: Dialect,
  body: JsonObject,
  wanted: readonly PlannedUpdate[],
): LoweredBody | null {
  switch (dialect) {
    case "anthropic":
      return lowerAnthropicBody(body, wanted);
    case "chat":
      return lowerOpenAiBody(chatShape, body, wanted);
    case "responses":
      return lowerOpenAiBody(responsesShape, body, wanted);
  }
}

function createNativeDecision(entrySeq: number): FormDecision {
  return { entrySeq, form: "native", cause: "first" };
}

function createWrappedDecision(cause: LoweringFailure["why"]) {
  return (entrySeq: number): FormDecision => ({ entrySeq, form: "wrapped", cause });
}
