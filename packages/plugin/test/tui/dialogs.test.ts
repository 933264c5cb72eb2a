// The dialogs on a screen: a report that scrolls, and the queue with its keys.
import { afterEach, describe, expect, test } from "bun:test";
import type { ShownQueue } from "../../src/feature-api/screen.ts";
import { Terminal } from "./terminal.ts";

// Loaded after the terminal, which gives them what the host gives.
const { openReport, createReportContent } = await import("../../src/tui/report-dialog.ts");
const { openQueue } = await import("../../src/tui/queue-dialog.ts");
const { computeDialogRows } = await import("../../src/tui/dialog.ts");

let terminal: Terminal;
afterEach(() => terminal.close());

const KEYS_OF_REPORT = "↑ ↓ PgUp PgDn scroll   esc close";

describe("a report's dialog", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => `row ${at + 1}.`);

  test("is large, says that it reads, then shows the report under its title", async () => {
    terminal = await Terminal.open();
    const answer = Promise.withResolvers<string>();
    openReport(
      terminal.api,
      createReportContent("Session Runtime: status", () => answer.promise),
    );
    expect(terminal.size).toBe("large");
    expect(await terminal.lines()).toEqual([
      ...["Session Runtime: status", "Reading …", KEYS_OF_REPORT],
    ]);
    answer.resolve("Two facts\nand a rule.");
    await terminal.says("and a rule.");
    expect(await terminal.lines()).toEqual([
      ...["Session Runtime: status", "Two facts", "and a rule.", KEYS_OF_REPORT],
    ]);
  });

  test("says why a report can't be read, in a sentence", async () => {
    terminal = await Terminal.open();
    openReport(
      terminal.api,
      createReportContent("T", () => Promise.reject(new Error("it is gone."))),
    );
    await terminal.says("The report can't be read: it is gone.");
    terminal.closeDialog();
    openReport(
      terminal.api,
      createReportContent("T", () => Promise.reject("refused")),
    );
    await terminal.says("The report can't be read: refused.");
  });

  test("takes the rows that the report has once it is wrapped, as far as the screen has them", async () => {
    expect([computeDialogRows(40), computeDialogRows(20), computeDialogRows(8)]).toEqual([
      23, 8, 3,
    ]);
    const renderRows = async (text: string) => {
      terminal = await Terminal.open(88, 20);
      openReport(
        terminal.api,
        createReportContent("T", async () => text),
      );
      await terminal.says(text.slice(1, 5));
      // The title, the keys, and a line between each and the report.
      const taken = terminal.findRow("esc close") - 3;
      terminal.close();
      return taken;
    };
    expect(await renderRows("One row.")).toBe(3);
    expect(await renderRows(["Row 0.", ...rows(3)].join("\n"))).toBe(4);
    expect(await renderRows(["Row 0.", "", ...rows(3)].join("\n"))).toBe(5);
    expect(await renderRows([`Long ${"word ".repeat(25)}`, ...rows(3)].join("\n"))).toBe(5);
    expect(await renderRows(["Row 0.", ...rows(40)].join("\n"))).toBe(8);
    terminal = await Terminal.open();
  });

  test("scrolls by its keys, which go with it", async () => {
    terminal = await Terminal.open(100, 20);
    openReport(
      terminal.api,
      createReportContent("T", async () => ["first", ...rows(40)].join("\n")),
    );
    await terminal.says("row 2.");
    const top = async (key: string) => {
      terminal.press(key);
      const [, first = ""] = await terminal.lines();
      return first.replace(/[█▀▄]/g, "").trim();
    };
    expect(await top("down")).toBe("row 1.");
    expect(await top("up")).toBe("First");
    expect(await top("pagedown")).toBe("row 7.");
    expect(await top("pageup")).toBe("First");
    expect(await top("end")).toBe("row 33.");
    expect(await top("home")).toBe("First");
    expect(terminal.keys).toEqual(["up", "down", "pageup", "pagedown", "home", "end"]);
    terminal.closeDialog();
    expect(terminal.keys).toEqual([]);
  });
});

describe("the queue's dialog", () => {
  const prompt = (id: string, text = `Do ${id}`) => ({ id, text, files: 0 });
  const createQueue = (...ids: readonly string[]): ShownQueue => ({
    ...{ activity: "busy", waiting: ids.map((id) => prompt(id)), length: ids.length },
  });

  /** The dialog over a queue that a test changes. */
  async function opened(queue: ShownQueue, width = 100) {
    terminal = await Terminal.open(width);
    const [changes, change] = terminal.signal(0);
    const server = { queue, failures: [] as Error[] };
    openQueue(terminal.api, {
      sessionId: "ses_one",
      watch: () => void changes(),
      read: async () => {
        const failure = server.failures.shift();
        if (failure) throw failure;
        return server.queue;
      },
    });
    const changed = (next: ShownQueue) => {
      server.queue = next;
      change((now) => now + 1);
    };
    return { server, changed, again: () => change((now) => now + 1) };
  }

  const entries = async () => {
    const lines = await terminal.lines();
    return lines.filter((line) => /^(?:› )?\d {2}/.test(line));
  };

  test("is large, reads the queue, and reads it again when it may have changed", async () => {
    const { changed } = await opened(createQueue("a", "b"));
    expect(terminal.size).toBe("large");
    const lines = await terminal.says("Do b");
    expect(lines[0]).toBe("Session Runtime: queue");
    expect(lines.at(-1)).toBe("↑ ↓ choose   shift ↑ ↓ move   a add   e edit   d drop   esc close");
    expect(await entries()).toEqual(["› 1  Do a", "2  Do b"]);
    changed(createQueue());
    await terminal.says("The queue is empty.");
    expect((await terminal.lines()).at(-1)).toBe("a add   esc close");
    changed(createQueue("b", "c"));
    await terminal.says("Do c");
    expect(await entries()).toEqual(["› 1  Do b", "2  Do c"]);
  });

  test("cuts what is too wide for the dialog, or for the screen", async () => {
    const long: ShownQueue = {
      activity: "busy",
      waiting: [prompt("a", "x".repeat(200))],
      length: 1,
    };
    await opened(long);
    await terminal.says("xx");
    expect((await entries())[0]).toHaveLength(84);
    terminal.resize(60, 40);
    await terminal.says("…");
    expect((await entries())[0]?.length).toBe(54);
  });

  test("chooses by the arrows, and moves and drops the chosen one by the command", async () => {
    const { changed } = await opened(createQueue("a", "b", "c"));
    await terminal.says("Do c");
    terminal.press("down");
    expect(await entries()).toEqual(["1  Do a", "› 2  Do b", "3  Do c"]);
    terminal.press("up");
    terminal.press("up");
    expect((await entries())[0]).toBe("› 1  Do a");
    terminal.press("shift+down");
    await terminal.lines();
    terminal.press("d");
    await terminal.lines();
    expect(terminal.ran).toEqual([
      { command: "ctx-queue", arguments: "move 1 2" },
      { command: "ctx-queue", arguments: "drop 1" },
    ]);
    changed(createQueue("b", "a"));
    await terminal.says("2  Do a");
    terminal.press("delete");
    await terminal.lines();
    terminal.press("shift+up");
    await terminal.lines();
    // By the places of this moment.
    expect(terminal.ran.slice(2).map((one) => one.arguments)).toEqual(["drop 2", "move 2 1"]);
  });

  test("shows what went wrong, until a change goes well", async () => {
    const { server, again } = await opened(createQueue("a", "b"));
    await terminal.says("Do b");
    terminal.ends = () => ({ data: { message: "The prompt is on its way." } });
    terminal.press("d");
    await terminal.says("The prompt is on its way.");
    terminal.ends = () => new Error("no host");
    terminal.press("d");
    await terminal.says("no host");
    terminal.ends = () => null;
    terminal.press("d");
    await terminal.says("OpenCode ran /ctx-queue as a prompt: see the session.");
    terminal.ends = () => "This is not an error: dropped.";
    terminal.press("d");
    while ((await terminal.lines()).some((line) => line.includes("as a prompt")))
      await Bun.sleep(5);
    const gone = new Error("the server is gone.");
    server.failures.push(gone);
    terminal.press("d");
    await terminal.says("Nothing was changed: the server is gone.");
    server.failures.push(gone);
    again();
    await terminal.says("The queue can't be read: the server is gone.");
  });

  test("counts the newest answer, whichever comes last, and none once it is closed", async () => {
    terminal = await Terminal.open();
    const answers: ((queue: ShownQueue) => void)[] = [];
    const [changes, change] = terminal.signal(0);
    openQueue(terminal.api, {
      sessionId: "ses_one",
      watch: () => void changes(),
      read: () => new Promise((resolve) => answers.push(resolve)),
    });
    const asked = async (count: number) => {
      while (answers.length < count) await terminal.lines();
      return answers.length;
    };
    expect(await asked(1)).toBe(1);
    change(1);
    expect(await asked(2)).toBe(2);
    answers[1]?.(createQueue("new"));
    await terminal.says("Do new");
    answers[0]?.(createQueue("old"));
    await terminal.lines();
    expect(await entries()).toEqual(["› 1  Do new"]);
    change(2);
    expect(await asked(3)).toBe(3);
    terminal.closeDialog();
    answers[2]?.(createQueue("late"));
    expect(await terminal.lines()).toEqual([]);
    expect(terminal.keys).toEqual([]);
  });

  test("asks for a text in the host's own dialog: a new prompt, or the chosen one's", async () => {
    const { server } = await opened(createQueue("a", "b"));
    server.queue = {
      ...createQueue("a", "b"),
      waiting: [prompt("a", "One\u001b\nTwo"), prompt("b")],
    };
    await terminal.says("Do b");
    terminal.press("a");
    expect(terminal.prompt).toMatchObject({ title: "Add to the queue", value: "" });
    terminal.prompt?.onConfirm("Do this");
    await terminal.says("Session Runtime: queue");
    expect(terminal.ran).toEqual([{ command: "ctx-queue", arguments: "-- Do this" }]);
    await terminal.says("Do b");
    terminal.press("e");
    expect(terminal.prompt).toMatchObject({
      ...{ title: "Edit the queued prompt", value: "One\\x1b\nTwo" },
    });
    terminal.prompt?.onConfirm("One, two");
    await terminal.says("Session Runtime: queue");
    expect(terminal.ran[1]).toEqual({ command: "ctx-queue", arguments: "edit 1 One, two" });
  });

  test("is shown again where no text was given, with what went wrong", async () => {
    await opened(createQueue("a"));
    await terminal.says("Do a");
    terminal.press("return");
    expect(terminal.prompt?.value).toBe("Do a");
    terminal.closeDialog();
    await terminal.says("› 1  Do a");
    expect(terminal.ran).toEqual([]);
    terminal.press("a");
    terminal.ends = () => "The queue is full.";
    terminal.prompt?.onConfirm("More");
    await terminal.says("The queue is full.");
    await terminal.lines();
    terminal.closeDialog();
    expect(await terminal.lines()).toEqual([]);
  });
});
