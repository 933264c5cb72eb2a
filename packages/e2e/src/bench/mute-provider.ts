// A cheap Anthropic server for long runs.
import { anthropic } from "../provider/anthropic.ts";
import type { ToolCall } from "../provider/dialect.ts";
import { eventStream, serveHttp } from "../provider/http.ts";

/**
 * Anthropic's Messages for long runs: answers by script, and neither reads nor keeps a request,
 * whose ten megabytes would take the processor from what is measured.
 */
export interface MuteProvider {
  readonly url: string;
  /** The next turn calls each of these in a step of its own, then says that it is done. */
  nextTurn(calls: readonly Omit<ToolCall, "id">[]): void;
  stop(): Promise<void>;
}

const BYTES_PER_TOKEN = 4;

/** By the request's length alone. */
function estimateUsage(bytes: number) {
  const readTokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  return { inputTokens: 10, writeTokens: 0, readTokens, outputTokens: 10 };
}

/** `delayMs` gives what the n-th answer takes. */
export async function startMuteProvider(
  delayMs: (answer: number) => number,
): Promise<MuteProvider> {
  let answered = 0;
  let waiting: Omit<ToolCall, "id">[] = [];
  const server = await serveHttp(async ({ raw }) => {
    answered += 1;
    const next = waiting.shift();
    const waitMs = delayMs(answered);
    if (waitMs > 0) await Bun.sleep(waitMs);
    const events = anthropic.events({
      id: `answer_${answered}`,
      model: "mute",
      reasoning: "",
      text: next ? "" : "Done.",
      calls: next ? [{ ...next, id: `call_${answered}` }] : [],
      usage: estimateUsage(raw.length),
    });
    return eventStream(events);
  });
  return {
    url: server.url,
    nextTurn(calls) {
      waiting = [...calls];
    },
    stop: server.stop,
  };
}
