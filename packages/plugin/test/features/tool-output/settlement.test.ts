import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { OutputLimits } from "../../../src/feature-api/feature-context.ts";
import { byteLength, fitsLimits } from "../../../src/features/tool-output/limits.ts";
import { ManagedFiles } from "../../../src/features/tool-output/managed-files.ts";
import { type SettledCall, ToolOutput } from "../../../src/features/tool-output/settlement.ts";
import { cutToHead, cutToTail } from "./host-cut.ts";
import { isWellFormed, roomyLimits, someText } from "./texts.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tool-output-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const limits: OutputLimits = { maxLines: 40, maxBytes: 2000 };
const call: SettledCall = { tool: "tests_big", callId: "call_1" };

interface LostFiles {
  readonly bytes: number;
  readonly reason: string;
}

function bench(at: OutputLimits = limits, place: string = folder) {
  const lost: LostFiles[] = [];
  const output = new ToolOutput({
    files: new ManagedFiles(place, Date.now),
    howToRead: () => "read it",
    limits: () => at,
    lost: (_call, bytes, reason) => void lost.push({ bytes, reason }),
    kept: () => undefined,
  });
  return { lost, settle: (result: object, by = call) => output.settle(by, result) };
}

/** A live result, with all that a hook may put into it. */
interface LiveFiles {
  output?: string;
  content?: readonly Record<string, unknown>[];
  structuredContent?: unknown;
  metadata?: { readonly outputPaths?: readonly string[]; readonly [key: string]: unknown };
  [key: string]: unknown;
}

const long = (name: string) =>
  Array.from({ length: 200 }, (_, line) => `${name} ${line}`).join("\n");

/** The text of the file that a settlement named. */
function full(result: LiveFiles): string {
  const path = result.metadata?.outputPaths?.at(-1);
  if (path === undefined) throw new Error("No path");
  return readFileSync(path, "utf8");
}

const shownText = (result: LiveFiles) => String(result.content?.[0]?.text ?? result.output);

describe("results of MCP servers", () => {
  test("F1: the text parts together have one limit; the file holds their concatenation", async () => {
    const texts = [long("first"), "small", long("third")];
    const result: LiveFiles = { content: texts.map((text) => ({ type: "text", text })) };
    await bench().settle(result);
    expect(result.content).toHaveLength(1);
    expect(fitsLimits(shownText(result), limits)).toBe(true);
    expect(shownText(result)).toStartWith("first 0\n");
    expect(shownText(result)).toEndWith("\nthird 199");
    expect(full(result)).toBe(texts.join("\n\n"));
  });

  test("F1: texts that are within the limit one by one are over it together", async () => {
    const text = "a line\n".repeat(15);
    const result: LiveFiles = {
      content: Array.from({ length: 4 }, () => ({ type: "text", text })),
    };
    await bench().settle(result);
    expect(fitsLimits(shownText(result), limits)).toBe(true);
    expect(full(result)).toBe([text, text, text, text].join("\n\n"));
  });

  test("F1: texts of resources count, and their blobs stay", async () => {
    const blob = { type: "resource", resource: { uri: "x://b", mimeType: "a/b", blob: "QQ==" } };
    const both = {
      type: "resource",
      resource: { uri: "x://both", text: long("resource"), blob: "QQ==" },
    };
    const result: LiveFiles = { content: [blob, both, { type: "text", text: "end" }] };
    await bench().settle(result);
    expect(full(result)).toBe(`${long("resource")}\n\nend`);
    expect(result.content?.[0]).toEqual(blob);
    expect(result.content?.[1]?.type).toBe("text");
    expect(result.content?.[2]).toEqual({
      type: "resource",
      resource: { uri: "x://both", blob: "QQ==" },
    });
  });

  test("F2: structured-only output keeps its structure and gets a bounded JSON preview", async () => {
    const structured = { rows: Array.from({ length: 300 }, (_, id) => ({ id })) };
    const copy = structuredClone(structured);
    // The host itself makes this one line of a result without content.
    const text = JSON.stringify(structured);
    const result: LiveFiles = { structuredContent: structured, content: [{ type: "text", text }] };
    await bench().settle(result);
    expect(result.structuredContent).toBe(structured);
    expect(structured).toEqual(copy);
    expect(shownText(result)).toStartWith('{\n  "rows": [');
    expect(fitsLimits(shownText(result), limits)).toBe(true);
    expect(JSON.parse(full(result))).toEqual(copy);
  });

  test("F2: a text that is not the structure is kept as the server wrote it", async () => {
    const result: LiveFiles = {
      structuredContent: { a: 1 },
      content: [{ type: "text", text: long("own") }],
    };
    await bench().settle(result);
    expect(full(result)).toBe(long("own"));
  });

  test("F3: media and metadata are untouched", async () => {
    const image = { type: "image", mimeType: "image/png", data: "QUJD", annotations: { a: 1 } };
    const audio = { type: "audio", mimeType: "audio/wav", data: "QUJD" };
    const result: LiveFiles = {
      content: [image, { type: "text", text: long("text") }, audio],
      metadata: { own: { deep: [1] } },
      _meta: { progress: 1 },
    };
    await bench().settle(result);
    expect(result.content?.[0]).toBe(image);
    expect(result.content?.[2]).toBe(audio);
    expect(result.metadata).toEqual({
      own: { deep: [1] },
      outputPaths: [expect.stringContaining("tool_")],
    });
    expect(result._meta).toEqual({ progress: 1 });
  });

  test("F13: leaves room for what the host adds for binary resources and images", async () => {
    const uri = `x://${"long".repeat(40)}`;
    const blobs = [1, 2, 3].map(() => ({ type: "resource", resource: { uri, blob: "QQ==" } }));
    const result: LiveFiles = { content: [{ type: "text", text: long("text") }, ...blobs] };
    await bench().settle(result);
    const notes = blobs.map(
      () =>
        `[Binary MCP resource omitted: ${uri} (application/octet-stream, 1 B) is not a supported attachment type]`,
    );
    expect(fitsLimits([shownText(result), ...notes].join("\n\n"), limits)).toBe(true);
  });

  test("a result within the limit, and one without text, stay as they are", async () => {
    const small = { content: [{ type: "text", text: "small" }], metadata: { a: 1 } };
    const media = { content: [{ type: "image", data: "x".repeat(99_999), mimeType: "image/png" }] };
    for (const result of [small, media, { content: [] }, {}, { content: [null, 7, "text"] }]) {
      const copy = structuredClone(result);
      await bench().settle(result);
      expect<unknown>(result).toEqual(copy);
    }
  });

  test("a result for a script of the host's code mode goes to the script whole", async () => {
    const result: LiveFiles = { content: [{ type: "text", text: long("text") }] };
    await bench().settle(result, { tool: "tests_big", callId: "call_1/2" });
    expect(shownText(result)).toBe(long("text"));
    const twelfth: LiveFiles = { content: [{ type: "text", text: long("text") }] };
    await bench().settle(twelfth, { tool: "tests_big", callId: "call_1/12" });
    expect(shownText(twelfth)).toBe(long("text"));
    const own: LiveFiles = { content: [{ type: "text", text: long("text") }] };
    await bench().settle(own, { tool: "tests_big", callId: "call/1/x" });
    expect(fitsLimits(shownText(own), limits)).toBe(true);
  });

  test("F2: a structure of many megabytes is kept on its one line", async () => {
    const structured = { rows: ["x".repeat(4_194_304)] };
    const text = JSON.stringify(structured);
    const result: LiveFiles = { structuredContent: structured, content: [{ type: "text", text }] };
    await bench().settle(result);
    expect(full(result) === text).toBe(true);
  });
});

describe("what the host has cut", () => {
  const note = "\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>";

  test("F13: bash regains its head; the host's own note stays", async () => {
    for (const closing of ["", note]) {
      const result: LiveFiles = { ...cutToTail(folder, long("line"), closing, limits) };
      expect(result.output).not.toContain("line 0\n");
      await bench().settle(result, { tool: "bash", callId: "c" });
      expect(result.output).toStartWith("line 0\n");
      expect(result.output).toEndWith(`line 199${closing}`);
      expect(fitsLimits(String(result.output), limits)).toBe(true);
      expect(full(result)).toBe(long("line"));
    }
  });

  test("F13: other tools regain their tail", async () => {
    const result: LiveFiles = { ...cutToHead(folder, long("line"), limits) };
    expect(result.output).not.toContain("line 199");
    await bench().settle(result, { tool: "webfetch", callId: "c" });
    expect(result.output).toStartWith("line 0\n");
    expect(result.output).toEndWith("\nline 199");
    expect(full(result)).toBe(long("line"));
  });

  test("F13: of whatever text, both regain head and tail within the limit, from the host's own file", async () => {
    const whichever = fc.constantFrom<"head" | "tail">("head", "tail");
    const files = () => readdirSync(folder).filter((name) => name.includes("-sr-")).length;
    const before = files();
    await fc.assert(
      fc.asyncProperty(someText, roomyLimits, whichever, async (text, at, side) => {
        fc.pre(isWellFormed(text) && !fitsLimits(text, at));
        const cut =
          side === "head" ? cutToHead(folder, text, at) : cutToTail(folder, text, note, at);
        const result: LiveFiles = { ...cut };
        await bench(at).settle(result, { tool: "any", callId: "c" });
        expect(fitsLimits(String(result.output), at)).toBe(true);
        expect(result.metadata?.outputPaths).toEqual([String(cut.metadata.outputPath)]);
        const again: LiveFiles = structuredClone(result);
        await bench(at).settle(again, { tool: "any", callId: "c" });
        expect(again).toEqual(result);
      }),
      { numRuns: 300 },
    );
    expect(files()).toBe(before);
  });

  test("F8: an earlier path in the output survives", async () => {
    const cut = cutToHead(folder, long("line"), limits);
    const own = "/srv/artifacts/report.txt";
    const result: LiveFiles = { ...cut, metadata: { ...cut.metadata, outputPaths: [own] } };
    await bench().settle(result);
    expect(result.metadata?.outputPaths).toEqual([own, String(cut.metadata.outputPath)]);
    expect(result.metadata?.outputPath).toBe(cut.metadata.outputPath);
    expect(result.output).toContain(`Full output saved to: ${cut.metadata.outputPath} `);
  });

  test("F8: where the host's file is gone, its notice stays in what is kept of the output", async () => {
    const cut = cutToTail(folder, long("line"), "", limits);
    const path = String(cut.metadata.outputPath);
    rmSync(path);
    const result: LiveFiles = { ...cut };
    await bench().settle(result);
    expect(result.output).toContain(`Full output saved to: ${path}`);
    expect(fitsLimits(String(result.output), limits)).toBe(true);
    // The fallback file holds what was received, and claims nothing of what was cut before.
    const ours = result.metadata?.outputPaths?.find((named) => named.includes("-sr-"));
    if (ours !== undefined) expect(readFileSync(ours, "utf8")).toBe(cut.output);
  });

  test("F9: a file outside of the folder is not read, whoever names it", async () => {
    const secret = join(folder, "../secret-of-tool-output.txt");
    writeFileSync(secret, long("secret"));
    const output = `...output truncated...\n\nFull output saved to: ${secret}\n\nsecret 199`;
    for (const path of [secret, `${folder}/../secret-of-tool-output.txt`]) {
      const result: LiveFiles = { output, metadata: { outputPath: path } };
      await bench().settle(result);
      expect(result.output).toBe(output);
    }
    rmSync(secret);
  });

  test("an output that someone else changed behind the host's notice is not taken for the host's", async () => {
    const cut = cutToHead(folder, "short\n".repeat(60), limits);
    const result: LiveFiles = { ...cut, output: `${cut.output}\nAdded by another plugin` };
    await bench().settle(result);
    expect(result.output).toContain("Added by another plugin");
  });

  test("a command that prints the host's own note is told from the note by the file", async () => {
    const text = long("line") + note;
    const result: LiveFiles = { ...cutToTail(folder, text, "", limits) };
    await bench().settle(result);
    expect(result.output).toEndWith(`line 199${note}`);
    expect(result.output?.split(note)).toHaveLength(2);
    const twice: LiveFiles = { ...cutToTail(folder, text, note, limits) };
    await bench().settle(twice);
    expect(twice.output).toEndWith(`line 199${note}${note}`);
  });
});

describe("what no one has cut", () => {
  test("an output over the limit gets a preview and a file of ours", async () => {
    const result: LiveFiles = {
      output: long("match"),
      metadata: { matches: 200, truncated: false },
    };
    await bench().settle(result, { tool: "grep", callId: "c" });
    expect(fitsLimits(String(result.output), limits)).toBe(true);
    expect(full(result)).toBe(long("match"));
    expect(result.metadata).toMatchObject({ matches: 200, truncated: false });
  });

  test("bounding a bounded output changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(someText, roomyLimits, async (text, at) => {
        const result: LiveFiles = { output: text };
        await bench(at).settle(result);
        const once = structuredClone(result);
        await bench(at).settle(result);
        expect(result).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  test("F11: `outputPaths` names the file in metadata, and is absent where there is none", async () => {
    const result: LiveFiles = { output: long("text"), metadata: { a: 1 } };
    await bench().settle(result);
    const [path] = result.metadata?.outputPaths ?? [];
    expect(result.metadata?.outputPaths).toEqual([expect.stringMatching(/^\//)]);
    expect(result.output).toContain(String(path));
    const small: LiveFiles = { output: "small", metadata: { a: 1 } };
    await bench().settle(small);
    expect(small).toEqual({ output: "small", metadata: { a: 1 } });
  });

  test("F6: a failed write gives a lossy preview, a diagnostic and no path", async () => {
    const blocked = join(folder, "a-file");
    writeFileSync(blocked, "");
    for (const result of [
      { output: long("text"), metadata: { a: 1 } },
      { content: [{ type: "text", text: long("text") }], metadata: { a: 1 } },
    ] as LiveFiles[]) {
      const { settle, lost } = bench(limits, join(blocked, "tool-output"));
      await settle(result);
      expect(shownText(result)).toContain("are lost: the full output could not be stored");
      expect(shownText(result)).not.toContain("/");
      expect(fitsLimits(shownText(result), limits)).toBe(true);
      expect(result.metadata).toEqual({ a: 1 });
      expect(lost).toEqual([{ bytes: byteLength(long("text")), reason: "ENOTDIR" }]);
    }
  });

  test("F12: the result is the whole one until it is the bounded one, text and metadata at once", async () => {
    const result: LiveFiles = { output: long("text"), metadata: {} };
    const seen = new Set<string>();
    const settling = bench().settle(result);
    let over = false;
    void settling.then(() => {
      over = true;
    });
    while (!over) {
      seen.add(
        `${fitsLimits(String(result.output), limits)} ${result.metadata?.outputPaths?.length}`,
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settling;
    seen.add(
      `${fitsLimits(String(result.output), limits)} ${result.metadata?.outputPaths?.length}`,
    );
    expect([...seen]).toEqual(["false undefined", "true 1"]);
  });
});

describe("pages of the read tool", () => {
  const limit: OutputLimits = { maxLines: 60, maxBytes: 2000 };

  function page(text: string, note: string, behind = "") {
    const lines = text.split("\n");
    const numbered = lines.map((line, index) => `${index + 11}: ${line}`).join("\n");
    return {
      output: `<path>/p/a.txt</path>\n<type>file</type>\n<content>\n${numbered}\n\n(${note})\n</content>${behind}`,
      metadata: {
        truncated: true,
        loaded: [],
        display: { type: "file", path: "/p/a.txt", text, lineStart: 11, lineEnd: 999 },
      },
    };
  }

  test("a page over the limit ends earlier, with the offset to go on at, and needs no file", async () => {
    const lines = Array.from({ length: 150 }, (_, line) => `text of ${line} </content>`);
    const behind = "\n\n<system-reminder>\nInstructions from: /p/AGENTS.md\n</system-reminder>";
    const given = page(
      lines.join("\n"),
      "Showing lines 11-160 of 999. Use offset=161 to continue.",
      behind,
    );
    const result: LiveFiles = structuredClone(given);
    await bench(limit).settle(result, { tool: "read", callId: "c" });
    const last = /Showing lines 11-(\d+)\. Use offset=(\d+) to continue/.exec(
      String(result.output),
    );
    const shown = Number(last?.[1]);
    expect(Number(last?.[2])).toBe(shown + 1);
    expect(result.output).toContain(`\n${shown}: text of ${shown - 11} </content>\n`);
    expect(result.output).not.toContain(`\n${shown + 1}: `);
    expect(result.output).toEndWith(`\n</content>${behind}`);
    expect(fitsLimits(String(result.output), limit)).toBe(true);
    expect(result.metadata).toEqual(given.metadata);
  });

  test("what another tool returns is no page, though it looks like one", async () => {
    const given = page(long("line"), "End of file - total 200 lines");
    const result: LiveFiles = structuredClone(given);
    await bench(limit).settle(result, { tool: "view", callId: "c" });
    expect(full(result)).toBe(given.output);
  });

  test("a page of another shape, or too large in one line, is bounded as any output", async () => {
    const odd = page(long("line"), "End");
    const result: LiveFiles = { ...odd, output: `changed ${odd.output}` };
    await bench(limit).settle(result, { tool: "read", callId: "c" });
    expect(full(result)).toBe(`changed ${odd.output}`);
    const wide: LiveFiles = page("x".repeat(5000), "End of file - total 1 lines");
    const text = wide.output;
    await bench(limit).settle(wide, { tool: "read", callId: "c" });
    expect(full(wide)).toBe(String(text));
  });
});
