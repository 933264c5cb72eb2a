// What a terminal UI that was killed in the middle of a turn says when it is started again.
import { held, makeGate, say } from "../../src/provider/reply.ts";
import { drivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

/** In the panel, and in the bar of a narrow screen: a toast goes by itself, this stays. */
const UNANSWERED = /1 unanswered: \/ctx-resume/;

drivenTest(
  "G6: after kill -9 of the terminal UI, each start shows what is unanswered and names /ctx-resume",
  async () => {
    const bench = await stage.bench();
    const { host, provider } = bench;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    await host.kill9();
    // Each terminal UI has a server of its own, as `opencode` alone starts it.
    const start = (columns: number) => stage.ui(bench, { args: ["--session", id], columns });
    const first = start(130);
    await first.waitFor(/Cache \d+%/);
    provider.script.queueFor(id, held(makeGate(), say("Never.")));
    await send(first, "Take your time");
    await provider.arrival(() => provider.listCalls(id, "main").length === 2);
    first.kill9();

    const second = start(130);
    await second.waitFor("Interrupted: ");
    await second.waitFor(UNANSWERED);
    second.kill9();

    const third = start(80);
    await third.waitFor(UNANSWERED);
    provider.script.queueFor(id, say("Here it is."));
    // The bar names the command, too: what was typed has arrived when the screen rests.
    third.type("/ctx-resume ");
    await third.settled();
    third.press("Enter");
    await third.waitFor("Here it is.");
    await third.waitUntilGone(UNANSWERED);
  },
);
