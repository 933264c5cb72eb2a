import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import { createChannelClient } from "../../src/tui-server/client.ts";
import type { ChannelId } from "../../src/tui-server/protocol.ts";
import { SESSION } from "./stage.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

/** A client of a server that answers whatever it is asked in one way. */
async function createTestClient(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = server.address();
  if (place === null || typeof place === "string") throw new Error("The server has no port.");
  const id = "0".repeat(32) as ChannelId;
  return createChannelClient({ protocol: 2, id, pid: 1, port: place.port, token: "f".repeat(64) });
}

const says = (text: string, status = 200) => {
  return createTestClient((response) => void response.writeHead(status).end(text));
};

describe("an answer", () => {
  test("that is no report, or no queue, is an error that says so", async () => {
    for (const text of ["null", "7", '"text"', "[]", "{}"]) {
      const client = await says(text);
      const report = client.report({ kind: "report", sessionId: SESSION, report: "ctx-status" });
      await expect(report).rejects.toThrow("the server returned no report");
      await expect(client.queue(SESSION)).rejects.toThrow("the server returned no queue");
    }
  });

  test("that refuses is an error with its status and its reason", async () => {
    const client = await says("too many requests at once\n", 503);
    const failed = await client.status(SESSION).catch((error: Error) => error.message);
    expect(failed).toBe("the server answered 503: too many requests at once");
  });
});

describe("a watch", () => {
  const watch = async (answer: (response: ServerResponse) => Promise<void>) => {
    let changes = 0;
    const client = await createTestClient((response) => void answer(response));
    const changed = () => {
      changes += 1;
    };
    await client.watch(SESSION, changed, new AbortController().signal);
    return changes;
  };

  test("counts an event once, wherever the stream is cut; a heartbeat is none", async () => {
    const changes = await watch(async (response) => {
      response.writeHead(200);
      for (const piece of [
        ": beat\n\n",
        "eve",
        "nt: changed\n",
        "data: {}\n\n",
        "event: changed",
      ]) {
        response.write(piece);
        await Bun.sleep(15);
      }
      response.end("\n\n");
    });
    // The first is the beginning's.
    expect(changes).toBe(3);
  });

  /** Waits of 45 seconds last `ms` from now on; counts them. */
  function shortened(ms: number) {
    const wait = globalThis.setTimeout;
    const shortenedWaits = { count: 0 };
    const begin = (body: () => void, asked?: number, ...given: readonly []) => {
      if (asked !== 45_000) return wait(body, asked, ...given);
      shortenedWaits.count += 1;
      return wait(body, ms, ...given);
    };
    const spy = spyOn(globalThis, "setTimeout").mockImplementation(begin as typeof setTimeout);
    cleanups.push(() => spy.mockRestore());
    return shortenedWaits;
  }

  test("breaks where nothing is heard for 45 seconds", async () => {
    const waits = shortened(30);
    const watched = watch(async (response) => {
      response.writeHead(200);
      response.write(": beat\n\n");
    });
    await expect(watched).rejects.toThrow("the server does not answer");
    expect(waits.count).toBeGreaterThan(0);
  });

  test("holds while heartbeats come", async () => {
    shortened(1_000);
    const changes = await watch(async (response) => {
      response.writeHead(200);
      for (let beat = 0; beat < 15; beat += 1) {
        response.write(": beat\n\n");
        await Bun.sleep(100);
      }
      response.end();
    });
    expect(changes).toBe(1);
  });
});
