import { describe, expect, test } from "bun:test";
import type { PluginInput } from "@opencode-ai/plugin";
import { HostConfig } from "../../src/hooks/host-config.ts";
import { JOB_AGENT } from "../../src/hooks/host-names.ts";
import { createJobHost, JobModel } from "../../src/hooks/job-host.ts";
import { type ChildCall, JobSessions, renderJobTitle } from "../../src/jobs/job-sessions.ts";
import type { SessionId } from "../../src/storage/records.ts";

const child = "ses_child" as SessionId;
const parent = "ses_parent" as SessionId;
const call: ChildCall & { readonly model: string } = {
  ...{ system: "Say a word.", prompt: "A word.", maxOutputTokens: 70, model: "router/a/b" },
};
const tokens = { input: 3, output: 4, reasoning: 5, cache: { read: 10, write: 20 } };
const used = { inputTokens: 33, outputTokens: 9 };

type Session = Record<string, (request: never) => Promise<unknown>>;

function stage(session: Session, providers: readonly object[] = []) {
  const config = { providers: async () => ({ data: { providers } }) };
  const client = { session, config } as unknown as PluginInput["client"];
  const sessions = new JobSessions();
  const hostConfig = new HostConfig("/project");
  const models = new JobModel({ client, hostConfig, configured: null });
  return { sessions, hostConfig, models, host: createJobHost(client, sessions, models) };
}

/** @param meanwhile what is heard of the host while it answers */
function answering(info: object, meanwhile: (sessions: JobSessions) => void = () => undefined) {
  const data = { info: { tokens, ...info }, parts: [{ type: "text", text: "A" }] };
  const staged = stage({
    prompt: async () => {
      meanwhile(staged.sessions);
      return { data };
    },
  });
  return staged;
}

describe("the one prompt of a job's session", () => {
  test("names our agent and the model, and knows the session from then on", async () => {
    const asked: unknown[] = [];
    const { host, sessions } = stage({
      prompt: async (request) => {
        asked.push(request);
        expect(sessions.findChildCall(child)?.system).toBe("Say a word.");
        return { data: { info: { tokens, finish: "stop" }, parts: [] } };
      },
    });
    expect(await host.prompt(child, call)).toEqual({
      ...{ kind: "text", text: "", ending: "whole", ...used },
    });
    const model = { providerID: "router", modelID: "a/b" };
    const parts = [{ type: "text", text: "A word." }];
    expect(asked).toEqual([{ path: { id: child }, body: { agent: JOB_AGENT, model, parts } }]);
    expect([sessions.has(child), sessions.findChildCall(child)]).toEqual([true, null]);
  });

  test("an answer that was cut off says so", async () => {
    for (const info of [{ finish: "length" }, { error: { name: "MessageOutputLengthError" } }]) {
      expect(await answering(info).host.prompt(child, call)).toEqual({
        ...{ kind: "text", text: "A", ending: "cut", ...used },
      });
    }
  });

  test("each error of the host's has its code", async () => {
    const errors: readonly (readonly [object, string])[] = [
      [{ name: "APIError", data: { statusCode: 429 } }, "rate_limited"],
      [{ name: "APIError", data: { statusCode: 503 } }, "unavailable"],
      [{ name: "APIError", data: { statusCode: 400 } }, "refused"],
      [{ name: "APIError", data: null }, "refused"],
      [{ name: "ProviderAuthError" }, "refused"],
      [{ name: "MessageAbortedError" }, "stopped"],
      [{ name: "UnknownError" }, "unavailable"],
    ];
    for (const [error, code] of errors) {
      const reply = await answering({ error }).host.prompt(child, call);
      expect(reply).toEqual({ kind: "error", code, ...used } as typeof reply);
    }
  });

  test("what the host said of its retry counts, whatever the message says after it was stopped", async () => {
    const said: readonly (readonly [string, string])[] = [
      ["Too Many Requests", "rate_limited"],
      ["This request would exceed your rate limit", "rate_limited"],
      ["HTTP 429", "rate_limited"],
      ["Provider is overloaded", "unavailable"],
    ];
    for (const [message, code] of said) {
      const { host } = answering({}, (sessions) => sessions.recordRetry(child, message));
      expect(await host.prompt(child, call)).toMatchObject({ kind: "error", code });
    }
  });

  test("a model that calls a tool has answered, without a text: its session was stopped for it", async () => {
    let answers = 0;
    const { host } = answering({ error: { name: "MessageAbortedError" } }, (sessions) => {
      answers += 1;
      if (answers === 1) sessions.recordFurtherCall(child);
    });
    const empty = { kind: "text", text: "", ending: "whole", ...used };
    expect(await host.prompt(child, call)).toEqual(empty as never);
    expect(await host.prompt(child, call)).toMatchObject({ kind: "error", code: "stopped" });
  });

  test("a prompt that the host refuses is an outcome: a session that is gone was deleted", async () => {
    const refusing = (status: number) =>
      stage({ prompt: async () => ({ error: {}, response: { status } }) }).host.prompt(child, call);
    expect(await refusing(404)).toMatchObject({ kind: "error", code: "stopped", inputTokens: 0 });
    expect(await refusing(500)).toMatchObject({ kind: "error", code: "unavailable" });
    const unreached = stage({ prompt: async () => ({ error: {} }) }).host.prompt(child, call);
    expect(await unreached).toMatchObject({ kind: "error", code: "unavailable" });
  });
});

describe("a job's session in the host", () => {
  test("is a child of the user's, or nobody's, under a title of ours", async () => {
    const bodies: unknown[] = [];
    const { host } = stage({
      create: async ({ body }: { body: unknown }) => {
        bodies.push(body);
        return { data: { id: child } };
      },
    } as unknown as Session);
    expect([await host.open(3, parent), await host.open(4, null)]).toEqual([child, child]);
    expect(bodies).toEqual([
      { title: expect.stringMatching(/^Session Runtime job 3 \([0-9a-f]{8}\)$/), parentID: parent },
      { title: expect.stringMatching(/^Session Runtime job 4 \([0-9a-f]{8}\)$/) },
    ]);
  });

  test("is found again by its title, and a user's session of such a name is not", async () => {
    const mine = renderJobTitle(7, "0123abcd");
    const others = ["Session Runtime job 7", "Session Runtime job fair", "Session Runtime job "];
    const titles = [mine, ...others, `${mine} (fork #1)`, `Why ${mine}`];
    const data = titles.map((title, index) => ({ id: `ses_${index}`, title }));
    const asked: unknown[] = [];
    const { host } = stage({
      list: async (request) => {
        asked.push(request);
        return { data };
      },
    });
    expect(await host.children()).toEqual([{ childId: "ses_0" as SessionId, jobId: 7 }]);
    const query = { search: "Session Runtime job ", limit: 100 };
    expect(asked).toEqual([{ query, throwOnError: true }]);
  });

  test("is stopped and removed by its id", async () => {
    const asked: unknown[] = [];
    const keep = async (request: never) => void asked.push(request);
    const { host } = stage({
      abort: keep,
      delete: async (request) => {
        asked.push(request);
        return {};
      },
    });
    await host.abort(child);
    await host.remove(child);
    expect(asked).toEqual([{ path: { id: child } }, { path: { id: child } }]);
  });

  test("that is gone already needs no removal; one that stays is an error", async () => {
    const removing = (status: number) =>
      stage({ delete: async () => ({ error: {}, response: { status } }) }).host.remove(child);
    await removing(404);
    await expect(removing(500)).rejects.toThrow("HTTP 500");
    const unreached = stage({ delete: async () => ({ error: {} }) }).host.remove(child);
    await expect(unreached).rejects.toThrow("HTTP none");
  });
});

describe("the model of jobs", () => {
  const providers = [
    { id: "anthropic", models: { haiku: { id: "haiku", family: "claude-haiku" } } },
    { id: "openai", models: { nano: { id: "nano", family: "gpt-nano" } } },
    { id: "local", models: { big: { id: "big" } } },
  ];

  test("is the host's small model, else a neighbour of the model that the session calls", async () => {
    const { models, hostConfig } = stage({}, providers);
    expect(await models.choose(parent)).toBeNull();
    hostConfig.take({ model: "openai/large" }, () => undefined);
    expect(await models.choose(parent)).toBe("openai/nano");
    models.recordProvider("ses_other", "anthropic");
    expect(await models.choose(parent)).toBe("anthropic/haiku");
    models.recordProvider(parent, "local");
    expect(await models.choose(parent)).toBeNull();
    expect(await models.choose("ses_other" as SessionId)).toBe("anthropic/haiku");
    const named = stage({}, providers);
    named.hostConfig.take({ small_model: "x/y" }, () => undefined);
    expect(await named.models.choose(parent)).toBe("x/y");
  });
});
