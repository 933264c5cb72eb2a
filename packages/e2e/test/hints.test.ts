import { describe, expect, test } from "bun:test";
import { eventually } from "../../plugin/test/eventually.ts";
import { fakeTimeEnvironment, libfaketime } from "../src/host/clock.ts";
import { MODELS } from "../src/host/models.ts";
import { call, say } from "../src/provider/reply.ts";
import {
  expectSteady,
  history,
  OURS,
  one,
  type Talk,
  updates,
  useStage,
} from "./conformance/stage.ts";
import { indexed } from "./indexed.ts";

/** Ends as the file appears: one run, begun after the first turn, lasts until then. The next would come in a minute. */
const UNTIL_BUILT = "until test -f built.txt; do sleep 0.1; done";

// What the model gets unasked, on the real host: nudges, due notes, key files, hints, the profile, time marks.
const stage = useStage({
  plugin: [
    [
      OURS,
      {
        // Of key files: a busy machine loads the grammars slowly.
        observation: { timeoutMs: 20_000 },
        recall: { enabled: true },
        history: { rewrite: "pressure", keepTokens: 500 },
        nudges: { enabled: true },
        timeMarks: { enabled: true },
        searchHints: { enabled: true },
        augment: { enabled: true },
        profile: { enabled: true },
        keyFiles: { enabled: true },
        smartNotes: { enabled: true, commands: [UNTIL_BUILT] },
      },
    ],
  ],
  config: { agent: { mute: { mode: "primary", permission: { ctx_reduce: "deny" } } } },
});

const CALLS = 34;

/** One turn of many calls, each with about 400 tokens of output. */
async function longTurn(talk: Talk, agent: string): Promise<void> {
  const commands = Array.from({ length: CALLS }, (_, at) =>
    call("bash", { command: `seq -f 'run ${at}: line %g is fine' 1 70`, description: `run ${at}` }),
  );
  stage.provider.script.queueFor(talk.id, ...commands, say("Done."));
  await talk.say("Check everything", { agent, model: MODELS.middle });
}

describe("lines that the model gets unasked", () => {
  test("HT1: a nudge comes once in 34 calls, stays as it was sent, and not where the tool is denied", async () => {
    const [talk, mute] = [await stage.talk(), await stage.talk()];
    await longTurn(talk, "build");
    await talk.say("Go on", { agent: "build", model: MODELS.middle });
    const nudges = updates(talk.last()).filter((text) => text.includes("ctx_reduce"));
    expect(nudges).toHaveLength(1);
    expectSteady(talk.main());
    await longTurn(mute, "mute");
    expect(updates(mute.last())).toEqual([]);
  });

  test("HT2: notes come up by a file and by a command, once; a restart keeps what is due, and done takes it off", async () => {
    const talk = await stage.talk();
    stage.provider.script.queueFor(
      talk.id,
      call("ctx_remind", { text: "Read the report.", when: "file report.txt" }),
      call("ctx_remind", { text: "Publish it.", when: `command ${UNTIL_BUILT}` }),
      say("Noted."),
    );
    await talk.say("Remind me");
    const due = () => updates(talk.last()).filter((text) => text.includes("<due-notes>"));
    talk.edit({ "report.txt": "1" });
    await talk.say("Go on");
    await talk.say("And on");
    expect(due().filter((text) => text.includes("Read the report."))).toHaveLength(1);
    expect(due().join()).not.toContain("Publish it.");
    talk.edit({ "built.txt": "1" });
    for (let turns = 0; turns < 20 && !due().some((one) => one.includes("Publish")); turns += 1) {
      await Bun.sleep(500);
      await talk.say(`Turn ${turns}`);
    }
    expect(due().filter((text) => text.includes("Publish it."))).toHaveLength(1);
    expectSteady(talk.main());
    await stage.host.restart({});
    await talk.say("Back");
    expect(due()).toHaveLength(2);
    const ref = /n:\w{6}/.exec(due()[0] ?? "")?.[0] ?? "";
    stage.provider.script.queueFor(talk.id, call("ctx_remind", { done: ref }), say("Done."));
    await talk.say("That is done");
    expect(due().at(-1)).toContain(`Done: ${ref}`);
  });

  test("HT4: after two sessions have read a file, the next one begins with its outline, and hears of a change once", async () => {
    const files = { "cart.ts": "export class Cart {\n  #x = 1;\n}\n" };
    for (const talk of [await stage.talk(), await stage.talk()]) {
      talk.edit(files);
      stage.provider.script.queueFor(talk.id, call("read", { filePath: "cart.ts" }), say("Read."));
      await talk.say("Read the cart");
    }
    await indexed(stage.host.home.database, "export class Cart", 2);
    await stage.host.restart({});
    const talk = await stage.talk();
    await talk.say("Hello");
    expect(talk.last().system).toContain("<key-files>");
    expect(talk.last().system).toContain("cart.ts\n  export class Cart");
    talk.edit({ "cart.ts": "export class Basket {\n  #x = 1;\n}\n" });
    await talk.say("And now?");
    await talk.say("And then?");
    const news = updates(talk.last()).filter((text) => text.includes("<key-files>"));
    expect(news).toHaveLength(1);
    expect(news[0]).toContain("export class Basket");
    expectSteady(talk.main());
  });

  test("HT5: a prompt about what another session said is followed by one line with it; other prompts by none", async () => {
    const earlier = await stage.talk();
    stage.provider.script.queueFor(
      earlier.id,
      say("The staging database listens on port 5433, behind the tunnel."),
    );
    await earlier.say("Look around");
    await indexed(stage.host.home.database, "listens on port 5433");
    const talk = await stage.talk();
    await talk.say("Make it nicer, please");
    expect(updates(talk.last())).toEqual([]);
    await talk.say("On which port does the staging database listen?");
    await talk.say("And what about the staging database's port?");
    const hints = updates(talk.last()).filter((text) => text.startsWith("Earlier work"));
    expect(hints).toHaveLength(1);
    expect(hints[0]).toContain("listens on port 5433");
    expectSteady(talk.main());
  });

  test("HT7: /ctx-augment sends a prompt with what another session said about it", async () => {
    const earlier = await stage.talk();
    stage.provider.script.queueFor(earlier.id, say("The kestrel release went to port 9944."));
    await earlier.say("Look around");
    await indexed(stage.host.home.database, "went to port 9944");
    const talk = await stage.talk();
    await talk.say("Hello");
    const calls = talk.main().length;
    const prompt = "Where did the kestrel release go?";
    await talk.client.command(talk.id, "ctx-augment", prompt).catch(() => undefined);
    await eventually("the prompt is sent", () => talk.main().length > calls);
    const said = history(talk.last()).map(({ text }) => text);
    expect(said).toContain(prompt);
    expect(said.join("\n")).toMatch(/<recalled>[\s\S]*kestrel release went to port 9944/);
  });

  test("HT6: what the model notes of the user, the next session begins with, until it is forgotten", async () => {
    const talk = await stage.talk();
    stage.provider.script.queueFor(
      talk.id,
      call("ctx_profile", { text: "Prefers small commits." }),
      say("Noted."),
    );
    await talk.say("Please commit in small steps, always");
    await talk.say("Go on");
    expect(updates(talk.last()).filter((text) => text.includes("user-profile"))).toEqual([]);
    const next = await stage.talk();
    await next.say("Hello");
    expect(next.last().system).toContain("- [p1] Prefers small commits.");
    await next.client.command(next.id, "ctx-profile", "forget all").catch(() => undefined);
    await next.say("And now?");
    expect(updates(next.last())).toContain("There are no notes about this user any more.");
  });

  const library = libfaketime();
  test.skipIf(library === undefined)(
    "HT3: a prompt after five hours gets a line, which a restart doesn't change (needs libfaketime)",
    async () => {
      const talk = await stage.talk();
      await talk.say("Hello");
      await stage.host.restart(fakeTimeEnvironment(library ?? "", "+5h"));
      await talk.say("Back again");
      const marks = () => updates(talk.last()).filter((text) => text.includes("passed before"));
      expect(marks()).toHaveLength(1);
      const mark = one(marks()[0]);
      expect(mark).toMatch(/^[45] hours passed before this message\. It was sent at \d\d:\d\d on /);
      await stage.host.restart({});
      await talk.say("And on");
      expect(marks()).toEqual([mark]);
      expectSteady(talk.main().slice(-2));
    },
  );
});
