// Slash commands: where an answer goes, and that no model is called for it.
import { describe, expect, spyOn, test } from "bun:test";
import type { ActionAnswer, CommandCall, OpenCommand } from "../../src/feature-api/command.ts";
import { SESSION_ELSEWHERE_CHECKS } from "../../src/feature-api/extension-points.ts";
import { ExtensionRegistry } from "../../src/feature-api/open-features.ts";
import { noScreen, type Screen } from "../../src/feature-api/screen.ts";
import { CommandRunner, ErrorForHost } from "../../src/hooks/command.ts";
import type { ComposedPlugin } from "../../src/hooks/compose.ts";
import type { HostConfigInput } from "../../src/hooks/host-config.ts";
import { registerCommands } from "../../src/hooks/host-names.ts";
import type { Reports } from "../../src/hooks/reports.ts";
import { CommandNames } from "../../src/runtime/dispatch-hooks.ts";
import type { SessionId } from "../../src/storage/records.ts";

const SESSION = "ses_1" as SessionId;
const prompted = {
  agent: "plan",
  model: { providerID: "openai", modelID: "large" },
  variant: { variant: "high" },
};
const open = { kind: "open", prompted } as const;
type Place = Awaited<ReturnType<Reports["reportFor"]>>["place"];

interface Setting {
  readonly place?: Place;
  readonly screen?: Partial<Screen>;
  readonly acts?: (call: CommandCall) => Promise<ActionAnswer>;
  readonly dialog?: string;
  readonly elsewhere?: boolean;
}

const noted = async (): Promise<ActionAnswer> => ({ text: "Kept.", shownBy: "note" });

function stand({
  place = open,
  screen = {},
  acts = noted,
  dialog,
  elsewhere = false,
}: Setting = {}) {
  const toasts: string[] = [];
  const written: { readonly body: object }[] = [];
  const logged: string[] = [];
  const failed: unknown[] = [];
  const told: string[] = [];
  const asked: SessionId[] = [];
  /** What the host says of sessions; an error: it can't be asked. */
  const host = {
    status: {} as Record<string, { type: string }> | Error,
    toasts: "shown" as "shown" | "broken",
    /** How often it was asked which sessions are busy. */
    looks: 0,
  };
  const points = { isElsewhere: SESSION_ELSEWHERE_CHECKS };
  const over: string[] = [];
  const notices = {
    notice: ({ code }: { code: string }) => void told.push(code),
    over: (code: string) => void over.push(code),
  };
  const plugin = {
    notices,
    commandNames: new CommandNames(new Map([["ctx-hold", "ctx-keep"]]), notices),
    failures: {
      failed: (where: string, error: unknown) => failed.push([where, error]),
      worked: () => undefined,
    },
    log: { warn: (event: string) => logged.push(event), health: () => ({ path: "/x.log" }) },
    provided: new ExtensionRegistry([
      { feature: "quiet", points, provides: { isElsewhere: null } },
      { feature: "inbox", points, provides: { isElsewhere: async () => elsewhere } },
    ]),
    toast: async (text: string) => {
      if (host.toasts === "broken") throw new Error("no terminal UI");
      toasts.push(text);
    },
    input: {
      client: {
        session: {
          status: async () => {
            host.looks += 1;
            if (host.status instanceof Error) throw host.status;
            return { data: host.status };
          },
          prompt: async (request: { readonly body: object }) => void written.push(request),
        },
      },
    },
  } as unknown as ComposedPlugin;
  const reports = {
    reportFor: async (_: OpenCommand, sessionId: SessionId) => {
      asked.push(sessionId);
      return { place, text: "The\u001b whole\nreport", summary: "All is well." };
    },
    readPlace: async () => place,
  } as unknown as Reports;
  const commands: readonly OpenCommand[] = [
    {
      ...{ kind: "report", name: "ctx-status", dialog: () => dialog ?? null },
      report: () => ({ text: "", summary: "" }),
    },
    { kind: "action", name: "ctx-keep", dialog: () => dialog ?? null, act: acts },
  ];
  const runner = new CommandRunner(plugin, reports, { ...noScreen, ...screen }, commands);
  const config: HostConfigInput = {};
  const declared = { title: "", description: "", shows: "report" } as const;
  registerCommands(
    config,
    [...commands.map(({ name }) => name), "ctx-hold"].map((name) => ({ ...declared, name })),
  );
  runner.takeConfig(config);
  /** What the caller reads: every command of ours ends with an error that says it. */
  const run = async (name: string, call: Partial<CommandCall> = {}): Promise<string> => {
    const whole = { sessionId: SESSION, args: "", files: [], process: "stays", ...call } as const;
    const error = await runner.run(name, whole).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ErrorForHost)) throw new Error("The command did not end as ours do.");
    return error.message;
  };
  const busy = () => {
    host.status = { ses_1: { type: "busy" } };
  };
  const idle = () => {
    host.status = { ses_1: { type: "idle" } };
  };
  const texts = () =>
    written.map(({ body }) => (body as { parts: { text: string }[] }).parts[0]?.text);
  const all = { runner, run, toasts, written, texts, logged, failed, told, over, asked, host };
  return { ...all, busy, idle };
}

const NO_ERROR = (name: string) =>
  `This is not an error: /${name} was answered without a model call.`;

describe("whose a command is", () => {
  test("one that the user has under our name stays theirs, and they are informed of it", async () => {
    const { runner, told } = stand();
    expect(told).toEqual([]);
    runner.takeConfig({ command: { "ctx-status": { template: "Mine." } } });
    expect(told).toEqual(["command_taken:ctx-status", "command_taken:ctx-keep"]);
    const call = { sessionId: SESSION, args: "", files: [], process: "stays" } as const;
    await runner.run("ctx-status", call);
    await runner.run("init", call);
  });

  test("a former name runs the command, with one notice, which is over at the first use of the new one", async () => {
    const { run, told, over } = stand();
    expect(await run("ctx-hold")).toBe(`${NO_ERROR("ctx-keep")} Kept.`);
    expect(told).toEqual(["command_renamed:ctx-keep"]);
    expect(over).toEqual([]);
    await run("ctx-keep");
    expect(told).toHaveLength(1);
    expect(over).toEqual(["command_renamed:ctx-keep"]);
  });

  test("a command that the user has under a former name stays theirs", async () => {
    const { runner, told } = stand();
    runner.takeConfig({ command: { "ctx-hold": { template: "Mine." } } });
    told.length = 0;
    await runner.run("ctx-hold", { sessionId: SESSION, args: "", files: [], process: "stays" });
    expect(told).toEqual([]);
  });

  test("the host's callers read what an error of ours says, under a name that it lets through", () => {
    const error = new ErrorForHost("All is well.");
    expect(error.name).toBe("ConfigFrontmatterError");
    expect(error.toObject()).toEqual({ name: "UnknownError", data: { message: "All is well." } });
  });
});

describe("a report", () => {
  test("opens as a dialog where a terminal UI shows the session", async () => {
    const shown: string[] = [];
    const screen: Partial<Screen> = {
      show: async (name) => {
        shown.push(name);
        return "shown";
      },
    };
    const { run, asked } = stand({ screen, dialog: "ctx-status" });
    const answer = await run("ctx-status");
    expect(answer).toBe(`${NO_ERROR("ctx-status")} The report is shown in the terminal UI.`);
    expect(await run("ctx-keep")).toEndWith("The queue is shown in the terminal UI.");
    expect(shown).toEqual(["ctx-status", "ctx-status"]);
    expect(asked).toEqual([]);
  });

  test("is written where nobody looks: for the user alone, with the newest prompt's settings", async () => {
    const { run, written, asked } = stand({ dialog: "ctx-status" });
    expect(await run("ctx-status")).toBe(
      `${NO_ERROR("ctx-status")} The report is the newest message of session ses_1. In short: All is well.`,
    );
    const text = "The\\x1b whole\nreport";
    expect(asked).toEqual([SESSION]);
    expect(written).toEqual([
      {
        path: { id: "ses_1" },
        body: {
          ...{ noReply: true, agent: "plan", model: prompted.model, variant: "high" },
          parts: [{ type: "text", text, ignored: true }],
        },
        throwOnError: true,
      },
    ] as never);
  });

  test.each([
    ["empty", "Nothing was sent in this session yet: All is well.", "has no message yet"],
    [
      "undone",
      "All is well. Redo the undone messages or send one to see all of it.",
      "The undone messages can still be redone",
    ],
    ["unlisted", "All is well.", "OpenCode can't list this session's messages"],
  ] as const)("of a session that is %s is not written into it", async (kind, toast, said) => {
    const { run, written, toasts } = stand({ place: { kind } });
    const answer = await run("ctx-status");
    expect(answer).toContain(said);
    expect(answer).toContain(kind === "empty" ? "All is well." : "The\\x1b whole\nreport");
    expect(toasts).toEqual([toast]);
    expect(written).toEqual([]);
  });

  test("waits while the session is busy, and is written once when it has settled", async () => {
    const { runner, run, busy, idle, toasts, texts, host } = stand();
    busy();
    const waits = "The session is busy: the report of /ctx-status comes when it has settled.";
    expect(await run("ctx-status")).toBe(`${NO_ERROR("ctx-status")} ${waits}`);
    await run("ctx-status");
    expect(toasts).toEqual([waits, waits]);
    await runner.onSettled(SESSION);
    expect(texts()).toEqual([]);
    idle();
    const { looks } = host;
    await runner.onSettled("ses_2" as SessionId);
    expect(host.looks).toBe(looks);
    expect(texts()).toEqual([]);
    await runner.onSettled(SESSION);
    await runner.onSettled(SESSION);
    expect(texts()).toEqual(["The\\x1b whole\nreport"]);
  });

  test("that fails says so, with the place of the log, and calls no model", async () => {
    const { run, host, failed } = stand();
    const error = new Error("gone");
    host.status = error;
    expect(await run("ctx-status")).toBe(
      "/ctx-status could not be answered, and no model was called: see the log at /x.log.",
    );
    expect(failed).toEqual([["/ctx-status", error]]);
  });

  test("ends as well where a toast can't be shown", async () => {
    const { run, host, logged } = stand({ place: { kind: "empty" } });
    host.toasts = "broken";
    expect(await run("ctx-status")).toContain("has no message yet");
    expect(logged).toEqual(["command.toast_failed"]);
  });
});

describe("an action's answer", () => {
  const says = (text: string, shownBy: ActionAnswer["shownBy"] = "note") => {
    return async (): Promise<ActionAnswer> => ({ text, shownBy });
  };

  test("is a toast where the conversation, or a panel that is open, shows the rest", async () => {
    const changed: string[] = [];
    const screen: Partial<Screen> = { changed: (sessionId) => void changed.push(sessionId) };
    const sent = stand({ screen, acts: says("Sent:\nhello", "conversation") });
    expect(await sent.run("ctx-keep")).toBe(`${NO_ERROR("ctx-keep")} Sent:\nhello`);
    expect([sent.toasts, sent.texts()]).toEqual([["Sent:\nhello"], []]);
    expect(changed).toEqual(["ses_1"]);
    const watched = stand({ screen: { watches: () => true } });
    await watched.run("ctx-keep");
    expect([watched.toasts, watched.texts()]).toEqual([["Kept."], []]);
  });

  test("of several lines opens as a dialog, which reads it until another answer comes", async () => {
    let text = "One\nTwo";
    const screen: Partial<Screen> = { watches: () => true, show: async () => "shown" };
    const acts = async (): Promise<ActionAnswer> => ({ text, shownBy: "note" });
    const { runner, run, toasts, texts } = stand({ screen, acts });
    expect(runner.findAnswer("ctx-keep", SESSION)).toBeNull();
    await run("ctx-keep");
    expect(runner.findAnswer("ctx-keep", SESSION)).toBe("One\nTwo");
    expect(runner.findAnswer("ctx-status", SESSION)).toBeNull();
    expect(runner.findAnswer("ctx-keep", "ses_2" as SessionId)).toBeNull();
    expect([toasts, texts()]).toEqual([[], []]);
    text = "Short.";
    await run("ctx-keep");
    expect(runner.findAnswer("ctx-keep", SESSION)).toBeNull();
  });

  test("stays in the session where nobody looks", async () => {
    const { run, toasts, texts } = stand();
    await run("ctx-keep");
    expect([toasts, texts()]).toEqual([[], ["Kept."]]);
  });

  test("is a toast where a message would do harm: in an undone session, or one that another process works on", async () => {
    for (const setting of [{ place: { kind: "undone" } }, { elsewhere: true }] as const) {
      const { run, toasts, texts } = stand(setting);
      await run("ctx-keep");
      expect([toasts, texts()]).toEqual([["Kept."], []]);
    }
  });

  test("in the middle of a turn is a toast, and stays in the session when it has settled", async () => {
    let count = 0;
    const acts = async (): Promise<ActionAnswer> => {
      count += 1;
      return { text: `Kept ${count}.`, shownBy: "note" };
    };
    const { runner, run, busy, idle, toasts, texts } = stand({ acts });
    busy();
    await run("ctx-keep");
    await run("ctx-keep");
    expect([toasts, texts()]).toEqual([["Kept 1.", "Kept 2."], []]);
    idle();
    await runner.onSettled(SESSION);
    await runner.onSettled(SESSION);
    expect(texts()).toEqual(["Kept 1.\n\nKept 2."]);
  });

  test("is a toast where the host can't be asked: the action is done in any case", async () => {
    const { run, host, toasts, logged, failed } = stand();
    host.status = new Error("gone");
    expect(await run("ctx-keep")).toBe(`${NO_ERROR("ctx-keep")} Kept.`);
    expect([toasts, logged, failed]).toEqual([["Kept."], ["command.note_failed"], []]);
  });
});

describe("a command of a process that ends with it", () => {
  test("prints its answer: an action gets its one argument without the host's quotes", async () => {
    const taken: string[] = [];
    const acts = async ({ args }: CommandCall): Promise<ActionAnswer> => {
      taken.push(args);
      return { text: "Kept\u001b.", shownBy: "note" };
    };
    const { run, toasts, texts } = stand({ acts });
    const printed: unknown[] = [];
    const write = spyOn(process.stdout, "write").mockImplementation((text) => {
      printed.push(text);
      return true;
    });
    const atExit = spyOn(process, "once").mockImplementation(() => process);
    const ends = { args: '"Keep it short"', process: "ends" } as const;
    const answers = [await run("ctx-keep", ends), await run("ctx-status", ends)];
    const exits = atExit.mock.calls.map(([event]) => event as string);
    write.mockRestore();
    atExit.mockRestore();
    expect(printed).toEqual(["Kept\\x1b.\n", "The\\x1b whole\nreport\n"]);
    expect(taken).toEqual(["Keep it short"]);
    expect(answers[0]).toBe(
      "This is not a failure: the answer of /ctx-keep is on standard output, and no model was called.",
    );
    expect(exits).toEqual(["exit", "exit"]);
    expect([toasts, texts()]).toEqual([[], []]);
  });

  test("that fails prints nothing", async () => {
    const error = new Error("no room");
    const { run, failed } = stand({ acts: () => Promise.reject(error) });
    expect(await run("ctx-keep", { process: "ends" })).toStartWith(
      "/ctx-keep could not be answered",
    );
    expect(failed).toEqual([["/ctx-keep", error]]);
  });
});
