// What the edge relies on of OpenCode 2, each fact with its check: here on the stand-in, built from the same facts.
import { describe, expect, test } from "bun:test";
import { readingModel, standIn } from "./stage.ts";
import { StandIn, type V2Plugin } from "./stand-in.ts";

interface Ctx {
  readonly session: {
    hook(name: string, run: (event: Record<string, unknown>) => unknown): Promise<unknown>;
    synthetic(input: object): Promise<void>;
  };
  readonly tool: { hook(name: string, run: (event: Record<string, unknown>) => unknown): unknown };
}

function plugin(setup: (ctx: Ctx) => unknown): V2Plugin {
  return { id: "probe", setup: (ctx) => setup(ctx as Ctx) };
}

const message = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

/** One turn of two steps, with one call. */
async function turn(host: StandIn): Promise<StandIn> {
  await host.prompt("ses_1", "Read.");
  return host;
}

const opened = (...plugins: readonly V2Plugin[]) => standIn(plugins, readingModel(1));

const FACTS: Readonly<Record<string, () => Promise<void>>> = {
  "a default export without `setup` is refused, and the others go on": async () => {
    const calls: string[] = [];
    const counting = plugin(() => void calls.push("setup"));
    const host = await turn(opened({ id: "old" }, counting));
    expect([host.refused, calls, host.sent.length]).toEqual([["old"], ["setup"], 2]);
  },
  "a setup that throws leaves the plugin out, and requests go on": async () => {
    const broken = plugin(() => {
      throw new Error("broken");
    });
    const host = await turn(opened(broken));
    expect([host.refused, host.failed, host.sent.length]).toEqual([["probe"], [], 2]);
  },
  "a setup that never settles stops every session of the folder": async () => {
    const host = opened(plugin(() => new Promise(() => undefined)));
    const ended = await Promise.race([turn(host).then(() => "ended"), Bun.sleep(20)]);
    expect([ended, host.sent.length]).toEqual([undefined, 0]);
  },
  "what setup gives back is called at a reload": async () => {
    const closed: string[] = [];
    const host = await turn(opened(plugin(() => () => void closed.push("closed"))));
    await host.reload([]);
    expect(closed).toEqual(["closed"]);
  },
  "a step has its order": async () => {
    const host = await turn(opened());
    const step = ["activation", "epoch", "delivery", "load", "compaction decision", "context"];
    const call = [...step, "model.request", "http"];
    expect(host.steps).toEqual([...call, "tools", ...call]);
  },
  "hooks run in the order of registration, and each sees what the former changed": async () => {
    const seen: unknown[] = [];
    const host = opened(
      plugin(({ session }) =>
        session.hook("context", (event) => {
          event.messages = [message("Changed."), ...(event.messages as readonly object[])];
        }),
      ),
      plugin(({ session }) => session.hook("context", (event) => void seen.push(event.messages))),
    );
    await turn(host);
    expect(JSON.stringify(seen[0])).toContain("Changed.");
  },
  "an edit in `context` is for its request only": async () => {
    const once = plugin(({ session }) => {
      let done = false;
      return session.hook("context", (event) => {
        if (!done) event.messages = [message("Once."), ...(event.messages as readonly object[])];
        done = true;
      });
    });
    const host = await turn(opened(once));
    expect(JSON.stringify(host.sent[0])).toContain("Once.");
    expect(JSON.stringify(host.sent[1])).not.toContain("Once.");
    expect(JSON.stringify(host.stored("ses_1"))).not.toContain("Once.");
  },
  "a hook that throws in `context` fails the step, and no request goes out": async () => {
    const broken = plugin(({ session }) =>
      session.hook("context", () => {
        throw new Error("broken");
      }),
    );
    const host = await turn(opened(broken));
    expect([host.failed, host.sent.length, host.stored("ses_1").length]).toEqual([["ses_1"], 0, 1]);
  },
  "invalid messages fail the step": async () => {
    const wrong = plugin(({ session }) =>
      session.hook("context", (event) => {
        event.messages = [{ role: "developer", content: [] }];
      }),
    );
    expect((await turn(opened(wrong))).failed).toEqual(["ses_1"]);
  },
  "a hook that throws in `execute.after` makes the call an error": async () => {
    const broken = plugin(({ tool }) =>
      tool.hook("execute.after", () => {
        throw new Error("broken");
      }),
    );
    const host = await turn(opened(broken));
    expect(JSON.stringify(host.sent[1])).toContain('"type":"error"');
  },
  "an unknown hook name is accepted, and never fires": async () => {
    const fired: string[] = [];
    const host = opened(
      plugin(({ session }) => session.hook("no.such.hook", () => void fired.push("fired"))),
    );
    expect([(await turn(host)).refused, fired]).toEqual([[], []]);
  },
  "user and assistant messages have ids; `tool` and `system` messages have none": async () => {
    const host = opened();
    host.stored("ses_1");
    await turn(host);
    host.instruct("ses_1", "Use tabs.");
    await turn(host);
    for (const { role, id } of host.sent.at(-1)?.messages ?? []) {
      expect(typeof id === "string").toBe(role === "user" || role === "assistant");
    }
  },
  "a synthetic message starts no call, and goes in before the next prompt": async () => {
    const says: Ctx["session"][] = [];
    const host = opened(plugin(({ session }) => void says.push(session)));
    await turn(host);
    const calls = host.sent.length;
    await says[0]?.synthetic({ sessionID: "ses_1", text: "By the way.", resume: false });
    expect(host.sent.length).toBe(calls);
    await turn(host);
    const texts = host.sent.at(-1)?.messages.map((message) => JSON.stringify(message)) ?? [];
    const at = texts.findIndex((text) => text.includes("By the way."));
    expect(texts[at + 1]).toContain("Read.");
  },
  "output is cut at 2,000 lines, head only, unless `metadata.truncated` is set": async () => {
    const long = Array.from({ length: 2_100 }, (_, line) => `row ${line}`).join("\n");
    const run = async (metadata: object) => {
      const host = new StandIn({
        model: readingModel(1),
        runTool: () => ({ content: long, metadata: { ...metadata } }),
      });
      host.activate([]);
      return JSON.stringify((await turn(host)).sent[1]);
    };
    expect(await run({})).not.toContain("row 2099");
    expect(await run({ truncated: true })).toContain("row 2099");
  },
};

describe("OpenCode 2, as it was read", () => {
  for (const [fact, check] of Object.entries(FACTS)) test(fact, check);
});
