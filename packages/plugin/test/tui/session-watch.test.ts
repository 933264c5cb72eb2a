import { expect, test } from "bun:test";
import { SessionWatch } from "../../src/tui/session-watch.ts";
import type { ChannelClient } from "../../src/tui-server/client.ts";
import { CALM } from "./panel-status.ts";

/** A channel that is answered by hand. */
function stand() {
  const asked: ReturnType<typeof Promise.withResolvers<unknown>>[] = [];
  const stream = Promise.withResolvers<void>();
  const seen: string[] = [];
  let change: () => void = () => undefined;
  const client: ChannelClient = {
    status: () => {
      const answer = Promise.withResolvers<unknown>();
      asked.push(answer);
      return answer.promise;
    },
    report: () => Promise.reject(new Error("not asked here")),
    queue: () => Promise.reject(new Error("not asked for")),
    watch: (_session, changed) => {
      change = changed;
      return stream.promise;
    },
  };
  const watch = new SessionWatch({
    client,
    sessionId: "ses_one",
    read: ({ atMs }) => seen.push(`read ${atMs}`),
    broken: () => seen.push("broken"),
  });
  watch.start();
  const answer = async (index: number, atMs: number) => {
    asked[index]?.resolve({ ...CALM, atMs });
    await Bun.sleep(0);
  };
  return { watch, asked, stream, seen, changed: () => change(), answer };
}

test("of many changes one question is under way, and one more follows the last of them", async () => {
  const { asked, seen, changed, answer } = stand();
  changed();
  changed();
  changed();
  expect(asked).toHaveLength(1);
  await answer(0, 1);
  expect(asked).toHaveLength(2);
  await answer(1, 2);
  expect(asked).toHaveLength(2);
  expect(seen).toEqual(["read 1", "read 2"]);
});

test("a stream that ends, and a question that fails, break it, once", async () => {
  const { asked, seen, changed, stream } = stand();
  changed();
  asked[0]?.reject(new Error("gone"));
  stream.resolve();
  await Bun.sleep(0);
  expect(seen).toEqual(["broken"]);
});

test("closed, it reads nothing more and breaks nothing", async () => {
  const { watch, seen, changed, answer, stream } = stand();
  changed();
  watch.close();
  await answer(0, 1);
  stream.reject(new Error("aborted"));
  await Bun.sleep(0);
  expect(seen).toEqual([]);
});
