// A provider for long sessions: it validates, bills and refuses as the others do, and keeps figures only.
import { makePromptCache, REALISTIC } from "../../billing/cache.ts";
import { computePromptBill, RATES, type Usage } from "../../billing/rates.ts";
import { type Block, commonBlocks, estimateTokens, sumTokens } from "../../block.ts";
import type { JsonObject } from "../../json.ts";
import { anthropic } from "../../provider/anthropic.ts";
import { eventStream, type ServedResponse, serveHttp } from "../../provider/http.ts";
import { classifyCall } from "../../provider/kind.ts";
import type { CallKind } from "../../provider/record.ts";
import type { Reply } from "../../provider/reply.ts";

/** One accepted request: its figures, and what of the call before it in its session it repeats. */
export interface CallNote {
  /** When it arrived, by the machine's clock, in milliseconds since 1970. */
  readonly arrivedMs: number;
  readonly kind: CallKind;
  readonly session: string;
  readonly promptTokens: number;
  readonly usage: Usage;
  readonly bill: number;
  /** Tokens at its front that the main call before it began with, too; of the first: none. */
  readonly keptTokens: number;
  /** Whether all of the main call before it stands at its front. */
  readonly grows: boolean;
  readonly stubs: number;
  readonly foldTokens: number;
}

/** A request as the scripted model sees it. */
export interface ModelRequest {
  readonly kind: CallKind;
  readonly session: string;
  readonly model: string;
  readonly body: JsonObject;
  /** The whole request as it was sent. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

export interface FrugalProvider {
  readonly url: string;
  readonly notes: readonly CallNote[];
  /** Reasons why a real provider would have refused a request, its length apart. */
  readonly rejections: readonly string[];
  /** Requests that were refused as too long, in tokens. */
  readonly tooLong: readonly number[];
  stop(): Promise<void>;
}

export interface FrugalSettings {
  readonly respond: (heard: ModelRequest) => Reply;
  readonly windowTokens: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

export async function startFrugalProvider(settings: FrugalSettings): Promise<FrugalProvider> {
  const { respond, windowTokens, clock } = settings;
  const cache = makePromptCache({ ...REALISTIC, clock });
  const notes: CallNote[] = [];
  const rejections: string[] = [];
  const tooLong: number[] = [];
  const newest = new Map<string, readonly Block[]>();
  let answered = 0;

  const server = await serveHttp(async ({ raw, headers }) => {
    const text = new TextDecoder().decode(raw);
    const body: JsonObject = JSON.parse(text);
    const blocks = anthropic.blocks(body);
    const kind = classifyCall(blocks);
    const session = headers["x-session-affinity"] ?? headers["x-session-id"] ?? "";
    const model = anthropic.model("", body);
    const reason = anthropic.rejection(body);
    if (reason !== undefined) {
      rejections.push(`${kind}: ${reason}`);
      return refusal(400, reason);
    }
    const promptTokens = sumTokens(blocks);
    if (promptTokens > windowTokens) {
      tooLong.push(promptTokens);
      return refusal(400, `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`);
    }
    const reply = respond({ kind, session, model, body, text, blocks });
    if (reply.type === "failure") return refusal(reply.status, "Scripted failure");
    if (reply.type !== "answer") throw new Error(`A long session has no reply ${reply.type}`);
    const input = cache.bill({ model, caching: "breakpoints", blocks });
    const outputTokens = estimateTokens(reply.text + JSON.stringify(reply.calls));
    const usage = { ...input, outputTokens };
    notes.push(toCallNote({ kind, session, usage, blocks, former: newest.get(session) }));
    if (kind === "main") newest.set(session, blocks);
    answered += 1;
    const calls = reply.calls.map((call, at) => ({ ...call, id: `call_${answered}_${at}` }));
    const id = `answer_${answered}`;
    return eventStream(
      anthropic.events({ id, model, reasoning: "", text: reply.text, calls, usage }),
    );
  });
  return { url: server.url, notes, rejections, tooLong, stop: server.stop };
}

interface NoteState {
  readonly kind: CallKind;
  readonly session: string;
  readonly usage: Usage;
  readonly blocks: readonly Block[];
  readonly former: readonly Block[] | undefined;
}

const STUB = /\[[^"\n]{0,120}(?:not shown any more|shown again below|out of date|let go)/;
const FOLD = '"<session-history>';

function toCallNote({ kind, session, usage, blocks, former = [] }: NoteState): CallNote {
  const common = kind === "main" ? commonBlocks(former, blocks) : 0;
  const folds = blocks.filter(({ bytes }) => bytes.includes(FOLD));
  return {
    ...{ kind, session, usage, arrivedMs: Date.now() },
    promptTokens: sumTokens(blocks),
    bill: computePromptBill(usage, RATES.breakpoints),
    keptTokens: sumTokens(blocks.slice(0, common)),
    grows: common === former.length,
    stubs: blocks.filter(({ tokens, bytes }) => tokens < STUB_TOKENS && STUB.test(bytes)).length,
    foldTokens: sumTokens(folds),
  };
}

/** A result that is a stub, with its frame. */
const STUB_TOKENS = 80;

function refusal(status: number, message: string): ServedResponse {
  return {
    status,
    headers: { "content-type": "application/json", "retry-after-ms": "1" },
    body: JSON.stringify(anthropic.failure(status, message)),
    ending: "closed",
  };
}
