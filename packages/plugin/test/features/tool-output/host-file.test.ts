import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recoverOutput } from "../../../src/features/tool-output/host-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "host-file-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const NOTE = "\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>";

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function headCut(path: string, head: string): string {
  const said = "The tool call succeeded but the output was truncated. Full output saved to: ";
  return `${head}\n\n...5 bytes truncated...\n\n${said}${path}\nUse Grep to search it.`;
}

function tailCut(path: string, tail: string): string {
  return `...output truncated...\n\nFull output saved to: ${path}\n\n${tail}`;
}

const within = (maxBytes: number) => ({ maxBytes, maxLines: 9 });

/** What a text has before and after that many bytes, in whole code points. */
function reference(text: string, bytes: number) {
  let head = "";
  for (const letter of text) {
    if (Buffer.byteLength(head + letter) > bytes) break;
    head += letter;
  }
  let tail = "";
  for (const letter of [...text].reverse()) {
    if (Buffer.byteLength(letter + tail) > bytes) break;
    tail = letter + tail;
  }
  return { head, tail, totalBytes: Buffer.byteLength(text) };
}

describe("the ends of a file that the host cut", () => {
  test("are as long as the limit, in whole code points of one to four bytes, wherever it falls", async () => {
    for (const letters of ["aéࠀ日😀", "😀", "ࠀ", "é", "a"]) {
      const text = letters.repeat(40);
      const path = written("tool_1", text);
      for (let bytes = 1; bytes <= 14; bytes += 1) {
        const expected = reference(text, bytes);
        expect(await recoverOutput(headCut(path, ""), path, folder, within(bytes))).toEqual(
          expected,
        );
      }
    }
  });

  test("are as long as what the host left, where that is longer than the limit", async () => {
    const text = "0123456789".repeat(20);
    const path = written("tool_2", text);
    const left = text.slice(0, 30);
    expect(await recoverOutput(headCut(path, left), path, folder, within(8))).toEqual({
      ...{ head: left, tail: text.slice(-30), totalBytes: 200 },
    });
  });

  test("are all of a file that is no longer than both together", async () => {
    const path = written("tool_3", "0123456789");
    const cut = headCut(path, "");
    const all = { head: "0123456789", tail: "0123456789", totalBytes: 10 };
    expect(await recoverOutput(cut, path, folder, within(5))).toEqual(all);
    expect(await recoverOutput(cut, path, folder, within(4))).toEqual({
      ...{ head: "0123", tail: "6789", totalBytes: 10 },
    });
  });

  test("have a byte order mark where the file has one, as the host's own cut does", async () => {
    const text = "\ufeff0123456789";
    const path = written("tool_11", text);
    expect(await recoverOutput(headCut(path, "\ufeff01"), path, folder, within(20))).toMatchObject({
      ...{ head: text, tail: text },
    });
  });

  test("have the shell's note behind them, and behind the head where that is all of it", async () => {
    const text = "0123456789".repeat(40);
    const path = written("tool_4", text);
    const cut = tailCut(path, `89${NOTE}`);
    const totalBytes = 400 + Buffer.byteLength(NOTE);
    const all = text + NOTE;
    expect(await recoverOutput(cut, path, folder, within(200))).toEqual({
      ...{ head: all, tail: all, totalBytes },
    });
    expect(await recoverOutput(cut, path, folder, within(199))).toEqual({
      ...{ head: text.slice(0, 199), tail: text.slice(-199) + NOTE, totalBytes },
    });
  });

  test("hold no more of a file that is no text than their bytes", async () => {
    const path = written("tool_5", new Uint8Array(100).fill(0x80));
    const sides = await recoverOutput(headCut(path, ""), path, folder, within(10));
    expect([sides?.head, sides?.tail]).toEqual(["\ufffd".repeat(10), "\ufffd".repeat(7)]);
  });
});

describe("nothing is regained", () => {
  test("of a file that has another beginning or end than what the host left", async () => {
    const path = written("tool_6", "0123456789");
    for (const cut of [headCut(path, "9"), tailCut(path, "0"), "no cut of the host's"]) {
      expect(await recoverOutput(cut, path, folder, within(5))).toBeNull();
    }
  });

  test("F9: of a file in another folder, and of one that the host doesn't name so", async () => {
    mkdirSync(join(folder, "deeper"), { recursive: true });
    for (const name of ["deeper/tool_7", "notes.txt", "deeper/notes.txt"]) {
      const path = written(name, "0123456789");
      expect(await recoverOutput(headCut(path, "01"), path, folder, within(5))).toBeNull();
    }
  });

  test("F9: of a link, a folder, or a file that is gone", async () => {
    const target = written("secret.txt", "0123456789");
    const link = join(folder, "tool_8");
    if (!existsSync(link)) symlinkSync(target, link);
    mkdirSync(join(folder, "tool_9"), { recursive: true });
    for (const name of ["tool_8", "tool_9", "tool_gone"]) {
      const path = join(folder, name);
      expect(await recoverOutput(headCut(path, ""), path, folder, within(5))).toBeNull();
    }
  });
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "the file is closed, also where nothing agrees",
  async () => {
    const path = written("tool_10", "0123456789");
    await recoverOutput(headCut(path, "01"), path, folder, within(5));
    await recoverOutput(headCut(path, "9"), path, folder, within(5));
    expect(openFiles()).not.toContain(path);
  },
);

function openFiles(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(join("/proc/self/fd", fd))];
    } catch {
      // The listing's own, which is closed by now.
      return [];
    }
  });
}
