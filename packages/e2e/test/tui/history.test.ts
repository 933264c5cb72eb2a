import { describe, expect } from "bun:test";
import { MODELS } from "../../src/host/models.ts";
import { call, say } from "../../src/provider/reply.ts";
import { drivenTest, PLUGIN, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();
const TURNS = 6;
const LINES = 220;

/** A session of six turns with long outputs, which is asked to be folded; a terminal UI shows it. */
async function folded() {
  const bench = await stage.bench({
    plugin: [[PLUGIN, { history: { rewrite: "worth" }, historian: { enabled: false } }]],
  });
  const { client } = bench.host;
  const { id } = await client.createSession();
  const middle = { model: MODELS.middle };
  for (let turn = 1; turn <= TURNS; turn++) {
    const command = `seq -f 'turn ${turn}: module %g of the tree was checked' 1 ${LINES}`;
    bench.provider.script.queueFor(
      id,
      call("bash", { command, description: "check" }),
      say(`Turn ${turn} is done.`),
    );
    await client.prompt(id, `Do turn ${turn}`, middle);
  }
  const answer = await client.command(id, "ctx-fold", "").catch((error) => error.body);
  expect(answer).toContain("At your next message:");
  await client.prompt(id, "Go on", middle);
  const terminal = stage.ui(bench, { attachTo: bench.host.url, args: ["--session", id] });
  await terminal.waitFor(/Cache \d+%/);
  return { ...bench, id, terminal };
}

/** The panel's rows; figures, times and the lengths of bars are another matter. */
function readPanelRows(screen: string): readonly string[] {
  const rows = screen.split("\n");
  const first = rows.findIndex((row) => row.includes("Session Runtime"));
  const column = rows[first]?.indexOf("Session Runtime") ?? 0;
  const panel = rows.slice(first).map((row) => row.slice(column).trim());
  return panel.slice(0, panel.indexOf("")).map((row) =>
    row
      .replace(/just now|\d+ (?:s|min) ago/, "AGO")
      .replaceAll(/\d(?:[\d.,]*\d)?k?/g, "N")
      .replaceAll(/([█▓▚░])\1+/g, "$1")
      .replace(/ [▁▂▃▄▅▆▇█]+$/, "")
      .replaceAll(/ +/g, " "),
  );
}

describe("a folded session in the terminal UI", () => {
  drivenTest(
    "has a layer and a mark in the panel, a word in the one line, and a dialog",
    async () => {
      const { host, id, terminal } = await folded();
      await terminal.waitFor(/▚ folded (just now|\d+ (s|min) ago)/);
      await terminal.waitFor(/History: spares [\d,]+ tokens a call/);
      expect(readPanelRows(await terminal.settled())).toEqual([
        "Session Runtime",
        "Cache N%",
        "█▓▚░",
        "█ tools, agent N ▓ system N",
        "▚ folded N ░ messages N",
        "History: spares N tokens a call",
        "▚ folded AGO",
      ]);
      terminal.resize(120, 32);
      await terminal.waitFor(/· folded (just now|\d+ (s|min) ago)/);
      terminal.resize(130, 32);
      await terminal.waitFor(/▚ folded \d/);
      const before = await host.client.messages(id);
      await send(terminal, "/ctx-history");
      await terminal.waitFor("Session Runtime: history");
      await terminal.waitFor(/Segments: \d/);
      expect(await terminal.settled()).toMatch(/h:[0-9a-z]{6} {2}\d+ messages?/);
      terminal.press("End");
      await terminal.waitFor("</session-history>");
      terminal.press("Escape");
      await terminal.waitUntilGone("Session Runtime: history");
      expect(await host.client.messages(id)).toEqual(before);
    },
  );
});
