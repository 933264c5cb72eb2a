// The queue's dialog and the palette's commands, by keys.
import { describe, expect } from "bun:test";
import { eventually } from "../../../plugin/test/eventually.ts";
import { held, makeGate, say } from "../../src/provider/reply.ts";
import type { Terminal } from "../../src/terminal/tmux.ts";
import { run, states, userTexts } from "../inbox-stage.ts";
import { drivenTest, expectScreen, longDrivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

/** A session with a turn that is held at the provider, and what waits after it. */
async function busy(columns: number, ...waiting: readonly string[]) {
  const bench = await stage.bench();
  const { client } = bench.host;
  const { id } = await client.createSession();
  await client.prompt(id, "Hello");
  const terminal = stage.ui(bench, { columns, attachTo: bench.host.url, args: ["--session", id] });
  await terminal.waitFor(/[Cc]ache \d+%/);
  const gate = makeGate();
  bench.provider.script.queueFor(id, held(gate, say("That took a while.")));
  await client.promptAsync(id, "Take your time");
  await eventually("the call is there", () => bench.provider.listCalls(id, "main").length === 2);
  for (const text of waiting) await run(client, id, "ctx-queue", text);
  return { ...bench, client, id, gate, terminal };
}

async function palette(terminal: Terminal, command: string): Promise<void> {
  terminal.press("C-p");
  await terminal.waitFor("Commands");
  terminal.type(command);
  await terminal.waitFor(new RegExp(`${command}[\\s\\S]*${command}`));
  await terminal.settled();
  terminal.press("Enter");
}

/** The queue's rows as the dialog shows them. */
const rows = (screen: string) =>
  [...screen.matchAll(/([› ]) (\d) {2}(\S.*?)(?: {2,}.*)?$/gm)].map(
    ([, mark, place, text]) => `${mark}${place} ${text}`,
  );

/** The dialog's own part of the screen: all around it moves while the session is busy. */
function dialogIn(screen: string): string {
  const all = screen.split("\n");
  const first = all.findIndex((row) => row.includes("Session Runtime: queue"));
  const last = all.findIndex((row) => row.includes("esc close"));
  const left = all[first]?.indexOf("Session Runtime: queue") ?? 0;
  const right = (all[last]?.indexOf("esc close") ?? 0) + "esc close".length;
  return all
    .slice(first, last + 1)
    .map((row) => row.slice(left, right))
    .join("\n");
}

async function shows(terminal: Terminal, ...wanted: readonly string[]): Promise<void> {
  let seen: readonly string[] = [];
  await eventually(`the queue shows ${wanted.join(", ")}`, () => {
    seen = rows(terminal.screen());
    return JSON.stringify(seen) === JSON.stringify(wanted);
  }).catch((error) => {
    throw new Error(`${error}: ${JSON.stringify(seen)}\n${terminal.screen()}`);
  });
}

describe.each([
  [80, drivenTest],
  [130, longDrivenTest],
] as const)("the queue as a dialog at %d columns", (columns, widthTest) => {
  widthTest(
    "two prompts that wait are seen, moved, edited, dropped, and one is added",
    async () => {
      const { client, gate, id, terminal } = await busy(columns, "Second", "Third");
      await palette(terminal, "Queue");
      await shows(terminal, "›1 Second", " 2 Third");
      await terminal.waitUntilGone("Queued as number");
      expectScreen(dialogIn(terminal.screen()), "queue-dialog");
      terminal.press("S-Down");
      await shows(terminal, " 1 Third", "›2 Second");
      terminal.press("Up");
      await shows(terminal, "›1 Third", " 2 Second");
      terminal.press("e");
      await terminal.waitFor("Edit the queued prompt");
      terminal.type(", with two tests");
      await terminal.waitFor("Third, with two tests");
      terminal.press("Enter");
      await shows(terminal, "›1 Third, with two tests", " 2 Second");
      terminal.press("a");
      await terminal.waitFor("Add to the queue");
      terminal.type("drop 1 is what this begins with");
      await terminal.waitFor("drop 1 is what this begins with");
      terminal.press("Enter");
      await shows(
        terminal,
        "›1 Third, with two tests",
        " 2 Second",
        " 3 drop 1 is what this begins with",
      );
      terminal.press("Down");
      await shows(
        terminal,
        " 1 Third, with two tests",
        "›2 Second",
        " 3 drop 1 is what this begins with",
      );
      terminal.press("d");
      await shows(terminal, " 1 Third, with two tests", "›2 drop 1 is what this begins with");
      terminal.press("Escape");
      await terminal.waitUntilGone("Session Runtime: queue");
      gate.open();
      await eventually(
        "both were sent",
        async () => userTexts(await client.messages(id)).length === 4,
      );
      expect(userTexts(await client.messages(id)).slice(2)).toEqual([
        "Third, with two tests",
        "drop 1 is what this begins with",
      ]);
    },
  );

  widthTest("interrupt and resume from the palette", async () => {
    const { client, id, terminal, ...bench } = await busy(columns, "Second");
    await palette(terminal, "Interrupt");
    await terminal.waitFor("Mock · interrupted");
    await client.waitIdle(id);
    expect(states(bench, id).at(-1)).toBe("waiting");
    await palette(terminal, "Resume");
    await eventually("it is sent", async () =>
      userTexts(await client.messages(id)).includes("Second"),
    );
  });
});

describe("the queue's dialog", () => {
  drivenTest(
    "/ctx-queue alone opens it, esc leaves a text, and it follows what is sent",
    async () => {
      const { gate, id, client, terminal } = await busy(130, "Second", "Third");
      await send(terminal, "/ctx-queue");
      await shows(terminal, "›1 Second", " 2 Third");
      terminal.press("a");
      await terminal.waitFor("Add to the queue");
      terminal.press("Escape");
      await shows(terminal, "›1 Second", " 2 Third");
      const before = userTexts(await client.messages(id)).length;
      gate.open();
      await terminal.waitFor("The queue is empty.");
      await eventually(
        "both were sent",
        async () => userTexts(await client.messages(id)).length === before + 2,
      );
    },
  );
});
