import { expect } from "bun:test";
import type { Terminal } from "../../src/terminal/tmux.ts";
import { countCallsBesideTitles } from "../conformance/stage.ts";
import { noteTexts } from "../inbox-stage.ts";
import { drivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

/** Chooses from the palette, and gives back how it stood there. */
async function choose(terminal: Terminal, title: string): Promise<string> {
  terminal.press("C-p");
  await terminal.waitFor("Commands");
  terminal.type(title);
  await terminal.waitFor(new RegExp(`${title}[\\s\\S]*Session Runtime[\\s\\S]*${title}`));
  const screen = await terminal.settled();
  terminal.press("Enter");
  return screen;
}

drivenTest(
  "Y7: at 80 columns, a list of memories is a dialog and no message, a short answer is a toast, and what is off says how to turn it on",
  async () => {
    const bench = await stage.bench();
    const { client, url } = bench.host;
    const { id } = await client.createSession();
    await client.prompt(id, "Hello");
    const calls = countCallsBesideTitles(bench.provider);
    const args = ["--session", id];
    const terminal = stage.ui(bench, { attachTo: url, args, columns: 80 });
    await terminal.waitFor(/cache \d+%/);
    const notes = async () => noteTexts(await client.messages(id));

    await send(terminal, "/ctx-memory add naming Tables are singular.");
    await terminal.waitFor(/Stored as memory 1, under NAMING\./);
    await send(terminal, "/ctx-note Run the migration.");
    await terminal.waitFor(/Stored as n:\w{6}\./);
    expect(await notes()).toEqual([]);

    await send(terminal, "/ctx-memory");
    const screen = await terminal.waitFor("closes a note");
    expect(screen).toMatch(/1 {2}Tables are singular\. \(70\)/);
    expect(screen).toMatch(/\[n:\w{6}\] Run the migration\./);
    await terminal.waitFor("Session Runtime: memory");
    terminal.press("Escape");
    await terminal.waitUntilGone("Session Runtime: memory");
    expect(await notes()).toEqual([]);

    await choose(terminal, "Notes");
    await terminal.waitFor("Session Runtime: notes");
    await terminal.waitFor("Run the migration.");
    terminal.press("Escape");
    await terminal.waitUntilGone("Session Runtime: notes");
    expect(await notes()).toEqual([]);

    const off = await choose(terminal, "Profile");
    expect(off).toContain('Off: turn it on with "profile"');
    await terminal.waitFor("/ctx-profile is turned off in your settings.");
    await terminal.waitFor('{ "profile": { "enabled": true } }');
    expect(countCallsBesideTitles(bench.provider)).toBe(calls);
  },
);
