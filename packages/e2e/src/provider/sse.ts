import type { SseEvent } from "./dialect.ts";
import type { Ending } from "./reply.ts";

const HEADERS = { "content-type": "text/event-stream" };

export function wholeStream(events: readonly SseEvent[]): Response {
  return new Response(events.map(lineOf).join(""), { headers: HEADERS });
}

/** The first half of the events, and then nothing more. */
export function brokenStream(events: readonly SseEvent[], ending: Ending): Response {
  const half = events.slice(0, Math.floor(events.length / 2)).map(lineOf);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const line = half.shift();
      if (line !== undefined) return controller.enqueue(encoder.encode(line));
      if (ending === "closed") return controller.close();
      await Bun.sleep(FLUSH_MS);
      controller.error(new Error("Scripted: the connection is torn down"));
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** What was said must have left before the connection goes. */
const FLUSH_MS = 20;

function lineOf({ event, data }: SseEvent): string {
  const payload = data === "[DONE]" ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ""}data: ${payload}\n\n`;
}
