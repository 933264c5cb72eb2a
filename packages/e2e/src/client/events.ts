// A subscription to the host's events.
import type { JsonObject } from "../json.ts";

/** An event of the host's bus. */
export interface HostEvent {
  readonly type: string;
  readonly properties: JsonObject;
}

/** A subscription to one project's events; it keeps all it has seen. */
export interface EventStream {
  readonly seen: readonly HostEvent[];
  /** Resolves at the first event from now on that satisfies the condition; rejects when closed. */
  next(condition: (event: HostEvent) => boolean): Promise<HostEvent>;
  close(): void;
}

interface Waiter {
  readonly condition: (event: HostEvent) => boolean;
  readonly resolve: (event: HostEvent) => void;
  readonly reject: (error: Error) => void;
}

/** Resolves once the host confirms the subscription, so that nothing after it is missed. */
export async function subscribe(url: string): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(url, { signal: abort.signal });
  if (!response.ok || !response.body) throw new Error(`${url}: HTTP ${response.status}`);
  const seen: HostEvent[] = [];
  const waiters = new Set<Waiter>();
  const stream: EventStream = {
    seen,
    next: (condition) =>
      new Promise((resolve, reject) => waiters.add({ condition, resolve, reject })),
    close: () => abort.abort(),
  };
  const connected = stream.next((event) => event.type === "server.connected");
  const accept = (event: HostEvent) => {
    seen.push(event);
    for (const waiter of waiters) {
      if (!waiter.condition(event)) continue;
      waiters.delete(waiter);
      waiter.resolve(event);
    }
  };
  void read(response.body, accept).then((reason) => {
    for (const waiter of waiters) waiter.reject(new Error(`The event stream ended: ${reason}`));
    waiters.clear();
  });
  await connected;
  return stream;
}

async function read(
  body: ReadableStream<Uint8Array>,
  accept: (event: HostEvent) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for await (const chunk of body) {
      const lines = (buffer + decoder.decode(chunk, { stream: true })).split("\n");
      buffer = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data:")) accept(JSON.parse(line.slice("data:".length)));
      }
    }
    return "the host closed it";
  } catch (error) {
    return String(error);
  }
}
