import { describe, expect, test } from "bun:test";
import * as z from "zod";
import type { SourceDefinition } from "../../src/context/source.ts";
import type { SessionMessage } from "../../src/session/history.ts";
import type { Host } from "../model/host.ts";
import { Scenes, sent } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;
const shape = { location: "app", agent: "build", model: "opus", own: null } as const;

/** A source that counts how often it is put into words. */
function counted(): { readonly source: SourceDefinition<string>; renderings: number } {
  const count = {
    renderings: 0,
    source: {
      key: "team/rota",
      schema: z.string(),
      load: async () => "Ada",
      baseline: (current: string) => {
        count.renderings += 1;
        return `On call: ${current}.`;
      },
      update: (_previous: string, current: string) => {
        count.renderings += 1;
        return `On call is now ${current}.`;
      },
    },
  };
  return count;
}

/** The files must be older than the file system's time stamps are coarse. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 40));

/** Both hooks of a call that is not sent, over history that tells when it is looked at. */
async function pass(host: Host, over: readonly SessionMessage[]): Promise<void> {
  await host.instance(0).runtime.projectHistory(over);
  host.compose(0, [host.world.systemString(shape)]);
}

/** The session's history, each message with a note of whether its parts were read. */
function watched(host: Host): {
  readonly messages: readonly SessionMessage[];
  readonly read: ReadonlySet<number>;
} {
  const read = new Set<number>();
  const messages = host
    .session(0)
    .rows.visible()
    .map(({ info, parts }, index) => ({
      info,
      get parts() {
        read.add(index);
        return parts;
      },
    }));
  return { messages, read };
}

describe("I20: a pass without changes", () => {
  test("reads no file that is unchanged", async () => {
    const { host } = scenes.open();
    await settle();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    const { counters } = host.instance(0).files;
    const { reads, stats } = counters;
    await host.prompt(0);
    expect(counters.reads).toBe(reads);
    // The global file, two in the project, the nested one.
    expect(counters.stats - stats).toBe(4);
  });

  test("renders nothing", async () => {
    const count = counted();
    const { host } = scenes.open({ configured: [count.source] });
    await host.prompt(0);
    const { renderings } = count;
    expect(renderings).toBeGreaterThan(0);
    await host.prompt(0);
    await host.prompt(0, { agent: "plan" });
    expect(count.renderings).toBe(renderings);
  });

  test("asks the storage one question and writes nothing before the send", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0);
    host.session(0).rows.user({ agent: "build", model: "opus" }, 1, "and now?");
    const { plan } = host.process;
    plan.disarm();
    await pass(host, host.session(0).rows.visible());
    expect(plan.calls).toBe(1);
    expect(host.stored.count("turn", "ses_0_1")).toBe(2);
    host.instance(0).runtime.turns.flush();
    expect(host.stored.count("turn", "ses_0_1")).toBe(3);
  });

  test("looks at the head, at what is new and at its anchors, however long the history is", async () => {
    const { host } = scenes.open();
    for (let prompt = 1; prompt <= 60; prompt += 1) {
      if (prompt === 30) host.world.nowMs += DAY_MS;
      await host.prompt(0);
    }
    host.session(0).rows.user({ agent: "build", model: "opus" }, 1, "and now?");
    const { messages, read } = watched(host);
    expect(messages).toHaveLength(121);
    await pass(host, messages);
    // The head, the update's anchor, and what no call has sent yet.
    expect([...read].filter((index) => ![0, 58, 119, 120].includes(index))).toEqual([]);
  });

  test("gives the host its own array back where nothing is inserted", async () => {
    const { host } = scenes.open();
    sent(await host.prompt(0));
    const array = host.session(0).rows.visible();
    expect(await host.instance(0).runtime.projectHistory(array)).toBe(array);
  });

  test("passes messages that no entry touches on by reference", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    await host.prompt(0);
    const array = host.session(0).rows.visible();
    const projected = await host.instance(0).runtime.projectHistory(array);
    expect(projected.map((message, index) => message === array[index])).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});
