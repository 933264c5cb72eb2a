// Sends one request with native updates, and falls back to text.
import type { FormDecision } from "../../storage/form-store.ts";
import { lowerAnthropic } from "./anthropic.ts";
import type { JsonObject, LoweredBody } from "./body.ts";
import type { FormCache } from "./forms.ts";
import { chatShape, lowerOpenAi, responsesShape } from "./openai.ts";
import type { LoweringPlan, PlannedUpdate } from "./plan.ts";

/** The API whose rules apply, by the request's path. */
export type Dialect = "anthropic" | "chat" | "responses";

/** One request of a call that has a plan. */
interface LowerableRequest {
  readonly dialect: Dialect;
  readonly body: JsonObject;
  /** Sends the request; null: with the very body that the host made. */
  readonly send: (body: string | null) => Promise<Response>;
}

/** The reason for which updates that would be native, or were, go as text from now on. */
export interface LoweringFailure {
  readonly why: "place" | "refused";
  readonly updates: number;
  /** Counts those that an earlier call had sent in their role: from the first one on the cached prefix is lost. */
  readonly sentBefore: number;
}

export interface LoweringDeps {
  readonly forms: FormCache;
  /** The provider, or a later message of the user's, has made some updates go back to text. */
  readonly fellBack: (plan: LoweringPlan, fallBack: LoweringFailure) => void;
  /** Something of ours went wrong; the host's own request goes. */
  readonly failed: (error: unknown) => void;
  /** A later request went well. */
  readonly worked: () => void;
}

const BAD_REQUEST_STATUS = 400;

/**
 * Sends a call's request with its updates in the form in which this model was first sent them; new
 * ones in the native form where their place allows it. The form is stored before the send. What the
 * provider answers 400 to is sent again as text, first the new ones, then all.
 */
export async function sendLowered(
  deps: LoweringDeps,
  plan: LoweringPlan,
  request: LowerableRequest,
): Promise<Response> {
  const lowered = admitGuarded(deps, plan, request);
  if (!lowered || lowered.native.length === 0) return request.send(null);
  const response = await request.send(JSON.stringify(lowered.body));
  if (response.status !== BAD_REQUEST_STATUS) return response;
  return sendRefused(deps, plan, request, { ...lowered, response });
}

interface AdmittedBody extends LoweredBody {
  /** The ranks in `native` that no call has sent before. */
  readonly fresh: readonly number[];
}

/** The guard of this edge: what is thrown here would reach the host as a failed request. */
function admitGuarded(
  deps: LoweringDeps,
  plan: LoweringPlan,
  request: LowerableRequest,
): AdmittedBody | null {
  try {
    const admitted = admit(deps, plan, request);
    deps.worked();
    return admitted;
  } catch (error) {
    deps.failed(error);
    return null;
  }
}

/** Decides which updates go in the native form now, and stores that; null where none does. */
function admit(
  deps: LoweringDeps,
  plan: LoweringPlan,
  { dialect, body }: LowerableRequest,
): AdmittedBody | null {
  const { owner, updates } = plan;
  const known = deps.forms.formsFor(owner);
  const isNew = ({ seq, age }: PlannedUpdate) => age === "fresh" && !known.has(seq);
  const asked = updates.some(isNew) && !deps.forms.isRefused(owner) ? updates.filter(isNew) : [];
  const kept = updates.filter(({ seq }) => known.get(seq) === "native");
  const wanted = updates.filter((update) => kept.includes(update) || asked.includes(update));
  if (wanted.length === 0) return null;
  const lowered = lowerBody(dialect, body, wanted);
  if (!lowered) return null;
  const displaced = lowered.displaced.filter((seq) => known.has(seq));
  if (displaced.length > 0) {
    deps.forms.decide(owner, displaced.map(createWrappedDecision("place")));
    const { length } = displaced;
    deps.fellBack(plan, { why: "place", updates: length, sentBefore: length });
  }
  const fresh = lowered.native.filter((seq) => !known.has(seq));
  if (deps.forms.decide(owner, fresh.map(createNativeDecision)) === "stored")
    return { ...lowered, fresh };
  // Commit before send: what is not on disk goes as the text that it is.
  const stored = kept.filter(({ seq }) => !lowered.displaced.includes(seq));
  const without = lowerBody(dialect, body, stored);
  return without && { ...without, fresh: [] };
}

interface RefusedRequest extends AdmittedBody {
  readonly response: Response;
}

async function sendRefused(
  deps: LoweringDeps,
  plan: LoweringPlan,
  { dialect, body, send }: LowerableRequest,
  refused: RefusedRequest,
): Promise<Response> {
  const accepted = plan.updates.filter(
    ({ seq }) => refused.native.includes(seq) && !refused.fresh.includes(seq),
  );
  // When no update is new, only all of them together can be what the provider rejects.
  const fewer = refused.fresh.length > 0 && accepted.length > 0 ? [accepted] : [];
  let { response } = refused;
  for (const kept of [...fewer, []]) {
    await response.body?.cancel();
    const lowered = kept.length === 0 ? null : lowerBody(dialect, body, kept);
    response = await send(lowered && JSON.stringify(lowered.body));
    if (response.status === BAD_REQUEST_STATUS) continue;
    // Other failures say nothing about the form.
    if (response.ok) {
      const given = refused.native.filter((seq) => !lowered?.native.includes(seq));
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
      return lowerAnthropic(body, wanted);
    case "chat":
      return lowerOpenAi(chatShape, body, wanted);
    case "responses":
      return lowerOpenAi(responsesShape, body, wanted);
  }
}

function createNativeDecision(entrySeq: number): FormDecision {
  return { entrySeq, form: "native", cause: "first" };
}

function createWrappedDecision(cause: LoweringFailure["why"]) {
  return (entrySeq: number): FormDecision => ({ entrySeq, form: "wrapped", cause });
}
