// What the provider answers: queued replies, then responders.
import { sumTokens } from "../block.ts";
import type { TurnOrder } from "./alternation.ts";
import type { InstructionPlaces } from "./dialect.ts";
import type { Thinking } from "./reasoning.ts";
import type { CallKind, CallRecord } from "./record.ts";
import { type Reply, say } from "./reply.ts";

type Responder = (call: CallRecord) => Reply;

/** What the provider answers: queued replies first, then the responder of the call's kind. */
export interface Script {
  /** Replies for the next main calls, of whichever session. */
  queue(...replies: readonly Reply[]): void;
  /** Replies for the next main calls of one session; they go before the common ones. */
  queueFor(session: string, ...replies: readonly Reply[]): void;
  /** Replaces what is said when no reply is queued. */
  respond(kind: CallKind, responder: Responder): void;
  /** Replies that nobody has asked for yet. */
  readonly pending: number;
  /** Where instructions may stand; "leading" at the start. */
  instructions: InstructionPlaces;
  /** In which order a body of chat completions may have its turns; "any" at the start. */
  turns: TurnOrder;
  /** Whether main answers have reasoning, which requests then have to keep; "none" at the start. */
  thinking: Thinking;
  /** What a call may hold: longer ones are refused, whatever is queued. Null at the start: as much as one likes. */
  limitTokens: number | null;
  /** How many tools a call may offer: more are refused, whatever is queued. Null at the start: any. */
  limitTools: number | null;
  /** Back to the start: nothing queued, no limit, default responders and places. */
  reset(): void;
  next(call: CallRecord): Reply;
}

const DEFAULTS: Readonly<Record<CallKind, Responder>> = {
  title: () => say("A session under test"),
  compaction: () => say("## Objective\n- Carry on with the work under test."),
  job: () => say("<word>done</word>"),
  main: () => say("Done."),
};

export function makeScript(): Script {
  const common: Reply[] = [];
  const bySession = new Map<string, Reply[]>();
  const responders = { ...DEFAULTS };
  const take = (session: string) => bySession.get(session)?.shift() ?? common.shift();
  return {
    instructions: "leading",
    turns: "any",
    thinking: "none",
    limitTokens: null,
    limitTools: null,
    queue: (...replies) => void common.push(...replies),
    queueFor(session, ...replies) {
      bySession.set(session, [...(bySession.get(session) ?? []), ...replies]);
    },
    respond(kind, responder) {
      responders[kind] = responder;
    },
    get pending() {
      return [...bySession.values()].reduce((sum, queue) => sum + queue.length, common.length);
    },
    reset() {
      this.instructions = "leading";
      this.turns = "any";
      this.thinking = "none";
      this.limitTokens = null;
      this.limitTools = null;
      common.length = 0;
      bySession.clear();
      Object.assign(responders, DEFAULTS);
    },
    next(call) {
      const refused = tooLong(call, this.limitTokens) ?? tooManyTools(call, this.limitTools);
      return (
        refused ?? ((call.kind === "main" && take(call.session)) || responders[call.kind](call))
      );
    },
  };
}

/** In Anthropic's words. */
function tooLong({ blocks }: CallRecord, limitTokens: number | null): Reply | null {
  const tokens = sumTokens(blocks);
  if (limitTokens === null || tokens <= limitTokens) return null;
  return {
    type: "refusal",
    message: `prompt is too long: ${tokens} tokens > ${limitTokens} maximum`,
  };
}

/** In OpenAI's words. */
function tooManyTools({ blocks }: CallRecord, limitTools: number | null): Reply | null {
  const tools = blocks.filter(({ layer }) => layer === "tools").length;
  if (limitTools === null || tools <= limitTools) return null;
  return {
    type: "refusal",
    message: `Invalid 'tools': array too long. Expected an array with maximum length ${limitTools}, but got an array with length ${tools} instead.`,
  };
}
