// The terminal UI's side of the channel: sends requests and receives change events.
import type { ShownQueue, ShownReport } from "../feature-api/screen.ts";
import { type ChannelAddress, type Question, toQuestionPath } from "./protocol.ts";

/** The client of one server's channel in the terminal UI. Its calls reject if the server is gone. */
export interface ChannelClient {
  /** Returns the JSON that `ChannelContent.status` has given. */
  status(sessionId: string): Promise<unknown>;
  report(question: Extract<Question, { kind: "report" }>): Promise<ShownReport>;
  queue(sessionId: string): Promise<ShownQueue>;
  /**
   * Calls `changed` each time the session's status may have changed, and once at the start. Settles
   * when the stream ends; rejects when it breaks or can't begin.
   */
  watch(sessionId: string, changed: () => void, signal: AbortSignal): Promise<void>;
}

/**
 * A server that does not answer for this long is stuck, or gone without notice. The limit is generous,
 * because a brief reads the workspace.
 */
const ANSWER_TIMEOUT_MS = 30_000;
/** The longest silence of a stream: three heartbeats of the server. */
const MAX_SILENCE_MS = 45_000;

export function createChannelClient(address: ChannelAddress): ChannelClient {
  const get = async (question: Question, signal: AbortSignal): Promise<Response> => {
    const response = await fetch(`http://127.0.0.1:${address.port}${toQuestionPath(question)}`, {
      headers: { authorization: `Bearer ${address.token}` },
      signal,
    });
    if (response.ok) return response;
    throw new Error(`the server answered ${response.status}: ${(await response.text()).trim()}`);
  };
  const ask = async (question: Question): Promise<unknown> =>
    (await get(question, AbortSignal.timeout(ANSWER_TIMEOUT_MS))).json();
  return {
    status: (sessionId) => ask({ kind: "status", sessionId }),
    async report(question) {
      const value = await ask(question);
      if (typeof value === "object" && value !== null && "text" in value) {
        return { text: String(value.text) };
      }
      throw new Error("the server returned no report");
    },
    async queue(sessionId) {
      const value = await ask({ kind: "queue", sessionId });
      // Both plugins have the same protocol, and so the same form of answers.
      if (typeof value === "object" && value !== null && "waiting" in value) {
        return value as ShownQueue;
      }
      throw new Error("the server returned no queue");
    },
    async watch(sessionId, changed, signal) {
      const silence = new AbortController();
      const either = AbortSignal.any([signal, silence.signal]);
      const response = await get({ kind: "changes", sessionId }, either);
      changed();
      await readEvents(response, changed, silence);
    },
  };
}

/**
 * Reads events. All of them have the same meaning and are in ASCII, so it is enough to find the lines that
 * begin with `event:`.
 */
async function readEvents(response: Response, changed: () => void, silence: AbortController) {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  const timer = setTimeout(
    () => silence.abort(new Error("the server does not answer")),
    MAX_SILENCE_MS,
  );
  let rest = "";
  try {
    for await (const chunk of response.body) {
      timer.refresh();
      const lines = (rest + decoder.decode(chunk)).split("\n");
      rest = lines.pop() ?? "";
      if (lines.some((line) => line.startsWith("event:"))) changed();
    }
  } finally {
    clearTimeout(timer);
  }
}
