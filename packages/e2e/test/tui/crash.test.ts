// What a terminal UI that was killed in the middle of a turn says when it is started again.
import { expect } from "bun:test";
import { held, makeGate, say } from "../../src/provider/reply.ts";
import type { Terminal } from "../../src/terminal/tmux.ts";
import { drivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

const TOAST = /Interrupted: 1 prompt/;

/** The notice and what it advises, which the toast breaks into lines. */
async function reportsCrash(terminal: Terminal): Promise<void> {
  const screen = await terminal.waitFor(TOAST);
  expect(screen).toContain("/ctx-resume");
}

drivenTest(
  "G6: after kill -9 of the terminal UI, each start shows what is unanswered and names /ctx-resume, until that continues",
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
    await provider.arrival(() => provider.callsOf(id, "main").length === 2);
    first.kill9();

    const second = start(130);
    await reportsCrash(second);
    second.kill9();

    const third = start(80);
    // The toast goes by itself, on a busy machine before anybody looks; the bar stays.
    await third.waitFor(/1 unanswered: \/ctx-resume/);
    await send(third, "/ctx-resume");
    await provider.arrival(() => provider.callsOf(id, "main").length === 3);
    await third.waitUntilGone(/1 unanswered/);
  },
);
