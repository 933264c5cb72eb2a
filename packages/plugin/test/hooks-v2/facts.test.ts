// What the edge relies on of OpenCode 2, each fact with its check. On the stand-in, built from the same facts;
// `HOST_V2=path npm test -- --only v2` puts a real host into its place.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { V2Context } from "../../src/hooks-v2/context.ts";
import { type HostSettings, openHost, type V2Host, type V2Plugin } from "./host.ts";
import { hostWith, ownFolder, readingModel, texts } from "./stage.ts";

let folder: ReturnType<typeof ownFolder>;
const opened: V2Host[] = [];
beforeEach(() => {
  folder = ownFolder();
});
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close();
  folder.remove();
});

type Event = Record<string, unknown>;

/** As a probe sees it: all hooks by name, and the messages that the host adds. */
interface Ctx extends Required<Pick<V2Context, "event" | "generate" | "model" | "command">> {
  readonly location: { readonly directory: string };
  readonly session: {
    hook(name: string, run: (event: Event) => unknown): Promise<unknown>;
    synthetic(input: object): Promise<void>;
  };
  readonly tool: {
    hook(name: string, run: (event: Event) => unknown): Promise<unknown>;
    transform(edit: (editor: { add(tool: object): void }) => void): unknown;
  };
}

function plugin(setup: (ctx: Ctx) => unknown): V2Plugin {
  return { id: "probe", setup: (ctx) => setup(ctx as Ctx) };
}

const message = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

/** One turn of two steps, with one call. */
async function turn(host: V2Host): Promise<V2Host> {
  await host.prompt("ses_1", "Read.");
  return host;
}

function open(settings: HostSettings): V2Host {
  const host = openHost(settings);
  opened.push(host);
  return host;
}

function withProbes(...plugins: readonly V2Plugin[]): V2Host {
  const host = hostWith(plugins, readingModel(1));
  opened.push(host);
  return host;
}

const throwing = (name: string) => () => {
  throw new Error(`broken ${name}`);
};

const FACTS: Readonly<Record<string, () => Promise<void>>> = {
  "a default export without `setup` is refused, and the others go on": async () => {
    const calls: string[] = [];
    const counting = plugin(() => void calls.push("setup"));
    const host = await turn(withProbes({ id: "old" }, counting));
    expect([host.refused, calls, host.sent.length]).toEqual([["old"], ["setup"], 2]);
  },
  "a setup that throws leaves the plugin out, and requests go on": async () => {
    const host = await turn(withProbes(plugin(throwing("setup"))));
    expect([host.failed, host.sent.length]).toEqual([[], 2]);
  },
  "a setup that never settles stops every session of the folder": async () => {
    const asked = Promise.withResolvers<void>();
    const host = withProbes(
      plugin(() => {
        asked.resolve();
        return new Promise(() => undefined);
      }),
    );
    const ended = turn(host).then(() => "ended");
    await asked.promise;
    expect(await Promise.race([ended, Bun.sleep(20)])).toBeUndefined();
    expect(host.sent).toEqual([]);
  },
  "what setup gives back is called at a reload": async () => {
    const closed: string[] = [];
    const host = await turn(withProbes(plugin(() => () => void closed.push("closed"))));
    await host.reload([]);
    expect(closed).toEqual(["closed"]);
  },
  "setup knows its folder": async () => {
    const folders: string[] = [];
    await turn(withProbes(plugin(({ location }) => void folders.push(location.directory))));
    expect(folders).toEqual([expect.stringMatching(/^\//)]);
  },
  "a step has its order: context, model.request, http.request, then its tools": async () => {
    const seen: string[] = [];
    const probe = plugin(async ({ session, tool }) => {
      for (const name of ["context", "model.request", "http.request"]) {
        await session.hook(name, () => void seen.push(name));
      }
      for (const name of ["execute.before", "execute.after"]) {
        await tool.hook(name, () => void seen.push(name));
      }
    });
    await turn(withProbes(probe));
    const call = ["context", "model.request", "http.request"];
    expect(seen).toEqual([...call, "execute.before", "execute.after", ...call]);
  },
  "the prompt is among the messages of the first `context` after it": async () => {
    const seen: string[] = [];
    const probe = plugin(({ session }) =>
      session.hook("context", ({ messages }) => void seen.push(JSON.stringify(messages))),
    );
    await turn(withProbes(probe));
    expect(seen[0]).toContain("Read.");
  },
  "a compaction is decided before `context`, by what is stored: the older part goes to its hook":
    async () => {
      const seen: string[] = [];
      const probe = plugin(async ({ session }) => {
        for (const name of ["compaction", "context"]) {
          await session.hook(name, () => void seen.push(name));
        }
      });
      const host = open({
        plugins: [probe],
        model: ({ kind }) => ({ text: kind === "compaction" ? "A summary." : "x".repeat(40_000) }),
        runTool: () => ({}),
        windowTokens: 40_000,
      });
      for (let at = 0; at < 6; at++) await host.prompt("ses_1", `Prompt ${at}.`);
      const at = seen.indexOf("compaction");
      expect(at).toBeGreaterThan(0);
      expect(seen[at + 1]).toBe("context");
      expect(texts(host.sent.at(-1))).toContain("A summary.");
    },
  "the instruction to summarize comes after what a plugin appends to a compaction": async () => {
    const adding = plugin(({ session }) =>
      session.hook("compaction", (event) => {
        event.messages = [...(event.messages as readonly object[]), message("Appended.")];
      }),
    );
    const host = withProbes(adding);
    for (let at = 0; at < 3; at++) await host.prompt("ses_1", "Read.");
    await host.compact("ses_1", 2);
    const sent = host.sent.find(({ kind }) => kind === "compaction");
    const at = sent?.messages.findIndex((one) => JSON.stringify(one).includes("Appended."));
    expect(at).toBe((sent?.messages.length ?? 0) - 2);
  },
  "hooks run in the order of registration, and each sees what the former changed": async () => {
    const seen: unknown[] = [];
    const host = withProbes(
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
    const host = await turn(withProbes(once));
    expect(texts(host.sent[0])).toContain("Once.");
    expect(texts(host.sent[1])).not.toContain("Once.");
    expect(await host.history("ses_1")).not.toContain("Once.");
  },
  "`http.request` has the body that goes to the provider, with the edits of `context`":
    async () => {
      const bodies: string[] = [];
      const probe = plugin(async ({ session }) => {
        await session.hook("context", (event) => {
          event.messages = [message("Edited."), ...(event.messages as readonly object[])];
        });
        await session.hook("http.request", async ({ kind, request }) => {
          if (kind === "primary") bodies.push(await (request as Request).clone().text());
        });
      });
      await turn(withProbes(probe));
      expect(bodies.map((body) => body.includes("Edited."))).toEqual([true, true]);
    },
  "a hook that throws in `context` fails the step, and no request goes out; the next prompt runs":
    async () => {
      let breaks = true;
      const broken = plugin(({ session }) =>
        session.hook("context", () => {
          if (breaks) throw new Error("broken");
        }),
      );
      const host = await turn(withProbes(broken));
      expect([host.failed, host.sent.length]).toEqual([["ses_1"], 0]);
      expect(await host.history("ses_1")).toContain("Read.");
      breaks = false;
      expect((await turn(host)).sent.length).toBe(2);
    },
  "invalid messages fail the step": async () => {
    const wrong = plugin(({ session }) =>
      session.hook("context", (event) => {
        event.messages = [{ role: "developer", content: [] }];
      }),
    );
    expect((await turn(withProbes(wrong))).failed).toEqual(["ses_1"]);
  },
  "a hook that throws in `execute.after` makes the call an error": async () => {
    const broken = plugin(({ tool }) => tool.hook("execute.after", throwing("execute.after")));
    const host = await turn(withProbes(broken));
    expect(texts(host.sent[1])).toContain('"type":"error"');
  },
  "an unknown hook name is accepted, and never fires": async () => {
    const fired: string[] = [];
    const host = withProbes(
      plugin(({ session }) => session.hook("no.such.hook", () => void fired.push("fired"))),
    );
    expect([(await turn(host)).refused, fired]).toEqual([[], []]);
  },
  "user and assistant messages have ids; `tool` and `system` messages have none": async () => {
    const seen: { readonly role: string; readonly id?: string }[][] = [];
    const probe = plugin(({ session }) =>
      session.hook("context", ({ messages }) => void seen.push(structuredClone(messages) as never)),
    );
    const host = await turn(withProbes(probe));
    host.instruct("ses_1", "Use tabs.");
    await turn(host);
    const last = seen.at(-1) ?? [];
    expect(new Set(last.map(({ role }) => role)).size).toBe(4);
    for (const { role, id } of last) {
      expect(typeof id === "string").toBe(role === "user" || role === "assistant");
    }
  },
  "a synthetic message starts no call, and goes in before the next prompt": async () => {
    const says: Ctx["session"][] = [];
    const host = withProbes(plugin(({ session }) => void says.push(session)));
    await turn(host);
    const calls = host.sent.length;
    await says[0]?.synthetic({ sessionID: "ses_1", text: "By the way.", resume: false });
    expect(host.sent.length).toBe(calls);
    await turn(host);
    const sent = host.sent.at(-1)?.messages.map((one) => JSON.stringify(one)) ?? [];
    const at = sent.findIndex((text) => text.includes("By the way."));
    expect(sent[at + 1]).toContain("Read.");
  },
  "a tool with `codemode: false` is offered directly; it learns its session, and what it gives is the result":
    async () => {
      const calls: unknown[] = [];
      const probe = plugin(({ tool }) =>
        tool.transform((editor) =>
          editor.add({
            name: "probe_tool",
            description: "A probe.",
            input: { type: "object", properties: {} },
            options: { codemode: false },
            execute: async (_input: unknown, call: object) => {
              calls.push(call);
              return { content: "From the probe." };
            },
          }),
        ),
      );
      const host = open({
        plugins: [probe],
        model: ({ messages }) =>
          messages.at(-1)?.role === "tool"
            ? { text: "Done." }
            : { text: "", calls: [{ id: "p", name: "probe_tool", input: {} }] },
        runTool: () => ({}),
      });
      await turn(host);
      expect(host.sent[0]?.tools).toContain("probe_tool");
      expect(calls).toEqual([expect.objectContaining({ sessionID: "ses_1", agent: "build" })]);
      expect(texts(host.sent[1])).toContain("From the probe.");
    },
  "a command with `execute` runs at once, without a model call, with the text after its name":
    async () => {
      const calls: unknown[] = [];
      const probe = plugin(({ command }) =>
        command.transform((editor) =>
          editor.add({
            name: "probe",
            description: "A probe.",
            execute: async (call) => void calls.push(call),
          }),
        ),
      );
      const host = withProbes(probe);
      await host.command("ses_1", "probe", "one two");
      const prompt = expect.objectContaining({ text: "one two" });
      expect(calls).toEqual([expect.objectContaining({ sessionID: "ses_1", prompt })]);
      expect(host.sent).toEqual([]);
    },
  "`session.step.ended` has the answer's id, tokens and price; a turn begins and ends with an execution":
    async () => {
      const events: { readonly type: string; readonly data?: unknown }[] = [];
      const probe = plugin(({ event }) => {
        void (async () => {
          for await (const one of event.subscribe()) events.push(one);
        })();
      });
      await turn(withProbes(probe));
      // Nothing waits for an event.
      while (!events.some(({ type }) => type === "session.execution.succeeded")) await Bun.sleep(5);
      const types = events.map(({ type }) => type);
      const known = types.filter((type) => /execution|step\.ended/.test(type));
      const steps = ["session.step.ended", "session.step.ended"];
      const [begin, end] = ["session.execution.started", "session.execution.succeeded"];
      expect(known).toEqual([begin, ...steps, end]);
      const cache = { read: expect.any(Number), write: expect.any(Number) };
      const tokens = { input: expect.any(Number), output: expect.any(Number), cache };
      expect(events.find(({ type }) => type === "session.step.ended")?.data).toMatchObject({
        sessionID: "ses_1",
        assistantMessageID: expect.stringMatching(/^msg_/),
        cost: expect.any(Number),
        tokens,
      });
    },
  "`generate.text` answers a prompt beside the sessions": async () => {
    const answers: unknown[] = [];
    const probe = plugin(({ session, generate }) =>
      session.hook("context", async () => {
        answers.push(await generate.text({ prompt: "Why?" }));
      }),
    );
    const host = open({
      plugins: [probe],
      model: () => ({ text: "Done." }),
      runTool: () => ({}),
      generate: (prompt) => `${prompt} Because.`,
    });
    await turn(host);
    expect(answers).toEqual([{ text: "Why? Because." }]);
    expect(host.sent).toHaveLength(1);
  },
  "`model.list` has each model's window and prices": async () => {
    const listed: unknown[] = [];
    const probe = plugin(({ session, model }) =>
      session.hook("context", async () => void listed.push(await model.list())),
    );
    const host = open({
      plugins: [probe],
      model: () => ({ text: "Done." }),
      runTool: () => ({}),
      windowTokens: 60_000,
    });
    await turn(host);
    const cost = [{ input: 5, output: 25, cache: { read: 0.5, write: 6.25 } }];
    const limit = expect.objectContaining({ context: 60_000 });
    expect(JSON.stringify(listed)).toContain('"id":"opus"');
    const { data } = listed[0] as { readonly data: readonly { readonly id: string }[] };
    expect(data.find(({ id }) => id === "opus")).toMatchObject({ limit, cost });
  },
  "output is cut at 2,000 lines, head only, unless `metadata.truncated` is set": async () => {
    const long = Array.from({ length: 2_100 }, (_, line) => `row ${line}`).join("\n");
    const run = async (metadata: object) => {
      const host = open({
        plugins: [],
        model: readingModel(1),
        runTool: () => ({ content: long, metadata: { ...metadata } }),
      });
      return texts((await turn(host)).sent[1]);
    };
    expect(await run({})).not.toContain("row 2099");
    expect(await run({ truncated: true })).toContain("row 2099");
  },
};

describe("OpenCode 2, as it was read", () => {
  for (const [fact, check] of Object.entries(FACTS)) test(fact, check);
});
