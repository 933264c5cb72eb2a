import { describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "../../src/host/home.ts";
import { held, makeGate, say } from "../../src/provider/reply.ts";
import { drivenTest, expectSettled, longDrivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

/** The terminal UI of 121 columns with a server of its own; its first prompt is sent. */
async function begun(files: Files) {
  const bench = await stage.bench({ files });
  await bench.host.kill9();
  const terminal = stage.ui(bench, { columns: 121 });
  await terminal.waitFor("Ask anything");
  await send(terminal, "Hello there");
  return { ...bench, terminal };
}

/** The different foreground colours in which the glyphs stand, by tmux's escape sequences. */
function listColours(screen: string, glyphs: readonly string[]): readonly string[] {
  const found = glyphs.flatMap((glyph) => {
    const before = screen.slice(0, screen.indexOf(glyph));
    return /38;2;\d+;\d+;\d+(?!.*38;2)/s.exec(before)?.[0] ?? [];
  });
  return [...new Set(found)];
}

const CALM: Files = { "AGENTS.md": "Answer in short sentences.\n" };

describe("the terminal UI with a server of its own", () => {
  drivenTest(
    "shows the panel above 120 columns and one line from 120 down, and what waits in the queue while it waits",
    async () => {
      const { host, provider, terminal } = await begun(CALM);
      await terminal.waitFor(/Cache \d+%/);
      await terminal.waitFor("A session under test");
      await terminal.waitUntilGone("esc interrupt");
      writeFileSync(join(host.project, "AGENTS.md"), "Answer in long sentences.\n");
      await send(terminal, "Go on");
      await terminal.waitFor(/Updated .*core\/instructions/);
      await terminal.waitFor(/Cache 49% ▁█/);
      await terminal.waitUntilGone("esc interrupt");
      await expectSettled(terminal, "panel-121");
      expect(listColours(terminal.colouredScreen(), ["█", "▓", "▒", "░"])).toHaveLength(4);
      terminal.resize(200, 32);
      await expectSettled(terminal, "panel-200");
      terminal.resize(120, 32);
      await terminal.waitFor(/cache 49% ▁█/);
      await expectSettled(terminal, "line-120");
      terminal.resize(80, 32);
      await expectSettled(terminal, "line-80");
      terminal.resize(121, 32);
      await terminal.waitFor(/Cache 49% ▁█/);
      expect(await terminal.settled()).not.toContain("cache 49%");

      const gate = makeGate();
      const asked = provider.calls.length;
      provider.script.queue(held(gate, say("That took a while.")));
      await send(terminal, "Take your time");
      await provider.arrival(() => provider.calls.length > asked);
      await send(terminal, "/ctx-queue Write the tests then");
      await terminal.waitFor("1 prompt queued");
      gate.open();
      await terminal.waitUntilGone("1 prompt queued");
      await terminal.waitFor("Write the tests then");
      expect(await terminal.settled()).not.toContain("unanswered");
    },
  );

  longDrivenTest(
    "tells warnings of the server's start, which came before there was a screen",
    async () => {
      const { terminal } = await begun({ ...CALM, "session-runtime.json": '{"epochs":{}}' });
      await terminal.waitFor("epochs");
      await terminal.waitFor("! 1 warning: see /ctx-status");
    },
  );
});
