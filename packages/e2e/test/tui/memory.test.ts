import { expect } from "bun:test";
import { noteTexts } from "../inbox-stage.ts";
import { drivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

drivenTest(
  "Y7: at 80 columns, a list of memories stays in view as a message, and a short answer is a toast",
  async () => {
    const bench = await stage.bench();
    const { client, url } = bench.host;
    const { id } = await client.createSession();
    await client.prompt(id, "Hello");
    const calls = bench.provider.calls.length;
    const args = ["--session", id];
    const terminal = stage.ui(bench, { attachTo: url, args, columns: 80 });
    await terminal.waitFor(/cache \d+%/);
    const notes = async () => noteTexts(await client.messages(id));

    await send(terminal, "/ctx-memory add naming Tables are singular.");
    await terminal.waitFor(/Stored as m:\w{6}\./);
    await send(terminal, "/ctx-note Run the migration.");
    await terminal.waitFor(/Noted as n:\w{6}\./);
    expect(await notes()).toEqual([]);

    await send(terminal, "/ctx-memory");
    const screen = await terminal.waitFor("takes a note off");
    expect(screen).toMatch(/m:\w{6} {2}Tables are singular\. \(70\)/);
    expect(screen).toMatch(/\[n:\w{6}\] Run the migration\./);
    expect(await notes()).toEqual([expect.stringContaining("1 memory of first")]);
    expect(bench.provider.calls).toHaveLength(calls);
  },
);
