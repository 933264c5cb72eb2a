import { describe, expect } from "bun:test";
import { held, makeGate, say } from "../../src/provider/reply.ts";
import { drivenTest, expectSettled, longDrivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

async function opened(columns: number) {
  const bench = await stage.bench();
  const { id } = await bench.host.client.createSession();
  await bench.host.client.prompt(id, "Hello");
  const terminal = stage.ui(bench, {
    columns,
    attachTo: bench.host.url,
    args: ["--session", id],
  });
  await terminal.waitFor(/[Cc]ache \d+%/);
  return { ...bench, id, terminal };
}

describe("TU3: reports as dialogs", () => {
  drivenTest(
    "/ctx-status opens a dialog that scrolls, and writes no message; a busy session does not keep it waiting",
    async () => {
      const { host, provider, id, terminal } = await opened(130);
      const before = await host.client.messages(id);
      await send(terminal, "/ctx-status");
      await terminal.waitFor("Session Runtime: status");
      await terminal.waitFor("core/instructions");
      await expectSettled(terminal, "status-dialog");
      terminal.press("End");
      await terminal.waitFor("Warnings");
      terminal.press("Home");
      await terminal.waitFor("Epoch  ");
      terminal.press("PageDown");
      await terminal.waitUntilGone("Epoch  ");
      terminal.press("Escape");
      await terminal.waitUntilGone("Session Runtime: status");
      expect(await host.client.messages(id)).toEqual(before);

      const gate = makeGate();
      provider.script.queue(held(gate, say("That took a while.")));
      const asked = provider.calls.length;
      await send(terminal, "Take your time");
      await provider.arrival(() => provider.calls.length > asked);
      await send(terminal, "/ctx-status");
      await terminal.waitFor("Session Runtime: status");
      gate.open();
    },
  );

  drivenTest(
    "at 80 columns it fits, and the caller of the command reads where the report is",
    async () => {
      const { host, id, terminal } = await opened(80);
      const answer = await host.client.command(id, "ctx-brief", "").catch((error) => error.body);
      expect(answer).toContain("The report is shown in the terminal UI.");
      await terminal.waitFor("Session Runtime: brief");
      await terminal.waitFor("Primary Objective");
      await expectSettled(terminal, "brief-dialog-80");
    },
  );

  longDrivenTest("each slash name stands in the host's list once", async () => {
    const { terminal } = await opened(130);
    for (const name of ["/ctx-status", "/ctx-brief"]) {
      terminal.type(name.slice(0, -1));
      const screen = await terminal.waitFor(new RegExp(`${name} `));
      expect(screen.split(`${name} `)).toHaveLength(2);
      terminal.press("C-u");
      await terminal.waitUntilGone(new RegExp(`${name} `));
    }
  });
});
