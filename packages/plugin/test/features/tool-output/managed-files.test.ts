import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import {
  buildManagedName,
  isManagedName,
  ManagedFiles,
  NAME_BYTES,
  resolveHostOutputFolder,
} from "../../../src/features/tool-output/managed-files.ts";
import { ToolOutput } from "../../../src/features/tool-output/settlement.ts";
import { canListOpenFiles, openFiles } from "../../open-files.ts";

const DAY_MS = 86_400_000;

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "managed-files-"));
  folder = join(root, "data/tool-output");
});
afterEach(() => rmSync(root, { recursive: true }));

const store = (now: () => number = Date.now) => new ManagedFiles(folder, now);

async function stored(text: string): Promise<string> {
  const result = await store().store(text);
  if (result.kind === "lost") throw new Error(result.reason);
  return result.path;
}

function age(path: string, days: number): void {
  const then = (Date.now() - days * DAY_MS) / 1000;
  utimesSync(path, then, then);
}

describe("managed files", () => {
  test("hold exactly the text, for their owner alone", async () => {
    const chunk = 1 << 20;
    const texts = [
      ...["", "short", "日本語😀\n".repeat(300_000), `${"x".repeat(chunk - 1)}😀 end`],
      // Pairs of the first halves that there are: across the end of a chunk, and right before it.
      ...[`${"x".repeat(chunk - 1)}𐀀 end`, `${"x".repeat(chunk - 2)}𐀀 end`],
      // A chunk of nothing but three bytes a unit fills the buffer.
      `${"日".repeat(chunk - 1)}😀 end`,
    ];
    for (const text of texts) {
      const path = await stored(text);
      expect(readFileSync(path, "utf8") === text).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  test.skipIf(!canListOpenFiles)("are closed once they are written", async () => {
    const path = await stored("text");
    expect(openFiles()).not.toContain(path);
  });

  test("hold a text that ends in half a pair, with what that is written as", async () => {
    expect(readFileSync(await stored("end \ud83d"), "utf8")).toBe("end \ufffd");
  });

  test("have names of the host's kind that nobody guesses and that tell ours from theirs", () => {
    const random = fc.uint8Array({ minLength: NAME_BYTES, maxLength: NAME_BYTES });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 42 }), random, (now, bytes) => {
        const name = buildManagedName(now, bytes);
        expect(name).toStartWith("tool_");
        expect(isManagedName(name)).toBe(true);
        expect(basename(name)).toBe(name);
        for (const other of [`x${name}`, `${name}x`]) expect(isManagedName(other)).toBe(false);
      }),
    );
    // The host's: twelve hexadecimal digits and fourteen letters or digits, never a hyphen.
    const letter = fc.constantFrom(..."0123456789ABCXYZabcxyz");
    const hosts = fc.string({ unit: letter, minLength: 26, maxLength: 26 });
    fc.assert(fc.property(hosts, (id) => !isManagedName(`tool_${id}`)));
  });

  test("F9: names can't leave the folder: nothing of a tool, a call or a text goes into them", async () => {
    const output = new ToolOutput({
      files: store(),
      howToRead: () => "read it",
      limits: () => ({ maxLines: 5, maxBytes: 600 }),
      lost: (_call, _bytes, reason) => expect(reason).toBe(""),
      kept: () => undefined,
    });
    const names = [
      "../../escape",
      "/etc/passwd",
      "a\0b",
      "..",
      "tool_x-sr-y",
      "\\..\\x",
      "é".repeat(300),
    ];
    for (const name of names) {
      const result = { output: `${name}\n`.repeat(400), metadata: { outputPaths: [] } };
      await output.settle({ tool: name, callId: name }, result);
    }
    expect(readdirSync(root)).toEqual(["data"]);
    expect(readdirSync(join(root, "data"))).toEqual(["tool-output"]);
    const written = readdirSync(folder);
    expect(written).toHaveLength(names.length);
    expect(written.filter((name) => !isManagedName(name))).toEqual([]);
  });

  test("F6: a write that fails half-way leaves no file and says why", async () => {
    const script = join(root, "write.ts");
    const source = join(import.meta.dir, "../../../src/features/tool-output/managed-files.ts");
    writeFileSync(
      script,
      `import { ManagedFiles } from ${JSON.stringify(source)};
      const files = new ManagedFiles(${JSON.stringify(folder)}, Date.now);
      console.log(JSON.stringify(await files.store("x".repeat(9_000_000))));`,
    );
    // As on a full disk: no file may grow beyond 4 MB.
    const limited = `trap "" XFSZ; ulimit -f 4096; exec "$0" "$1"`;
    const child = Bun.spawnSync(["bash", "-c", limited, process.execPath, script], {
      env: { ...process.env, BUN_BE_BUN: "1" },
    });
    expect(JSON.parse(child.stdout.toString())).toEqual({ kind: "lost", reason: "EFBIG" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("F6: a folder that can't be made is a reason, not a throw", async () => {
    mkdirSync(dirname(folder));
    writeFileSync(folder, "a file where the folder should be");
    expect(await store().store("text")).toEqual({ kind: "lost", reason: "EEXIST" });
    expect(await store().sweep(0)).toEqual({ removed: 0, failed: [] });
  });

  test("F7: expiry removes only our files, and only expired ones", async () => {
    const [old, fresh] = [await stored("old"), await stored("fresh")];
    age(old, 8);
    age(fresh, 6);
    const outside = join(root, "outside.txt");
    writeFileSync(outside, "of the user");
    const link = join(folder, buildManagedName(1, new Uint8Array(NAME_BYTES)));
    symlinkSync(outside, link);
    const directory = join(folder, buildManagedName(2, new Uint8Array(NAME_BYTES)));
    mkdirSync(directory);
    const others = [
      "tool_f9a1b2c3d4e5AbCdEfGhIjKlMn",
      "tool_f9a1b2c3d4e5-sr-short",
      "notes.txt",
      `${basename(old)}.bak`,
    ].map((name) => join(folder, name));
    for (const path of others) writeFileSync(path, "of someone else");
    for (const path of [...others, directory, outside]) age(path, 400);
    expect(await store().sweep(7 * DAY_MS)).toEqual({ removed: 1, failed: [] });
    expect(existsSync(old)).toBe(false);
    for (const path of [fresh, link, directory, outside, ...others]) {
      expect(existsSync(path)).toBe(true);
    }
  });

  test("F7: a file is expired once it is older than the retention, and not before", async () => {
    const path = await stored("text");
    utimesSync(path, 1_000, 1_000);
    const sweepAt = (nowMs: number) => store(() => nowMs).sweep(DAY_MS);
    expect(await sweepAt(1_000_000 + DAY_MS)).toEqual({ removed: 0, failed: [] });
    expect(await sweepAt(1_000_001 + DAY_MS)).toEqual({ removed: 1, failed: [] });
  });

  test("F7: one that can't be removed is named, with the reason", async () => {
    const path = await stored("text");
    age(path, 9);
    for (const [place, mode] of [
      [root, 0o755],
      [folder, 0o555],
    ] as const) {
      chmodSync(place, mode);
    }
    const script = join(import.meta.dir, "unprivileged-sweep.ts");
    const child = Bun.spawnSync([process.execPath, script, folder], {
      env: { ...process.env, BUN_BE_BUN: "1" },
    });
    const swept = JSON.parse(child.stdout.toString());
    expect(swept).toEqual({ removed: 0, failed: [`${basename(path)}: EACCES`] });
    expect(existsSync(path)).toBe(true);
    chmodSync(folder, 0o755);
  });

  test("F7: two processes may sweep at once, and a folder that is not there holds nothing", async () => {
    expect(await store().sweep(0)).toEqual({ removed: 0, failed: [] });
    for (const text of ["a", "b", "c", "d"]) age(await stored(text), 9);
    const swept = await Promise.all([store().sweep(DAY_MS), store().sweep(DAY_MS)]);
    expect(swept.flatMap(({ failed }) => failed)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("the folder is found as the host finds it", () => {
    expect(resolveHostOutputFolder({ XDG_DATA_HOME: "/d" }, "/home/u")).toBe(
      "/d/opencode/tool-output",
    );
    for (const env of [{}, { XDG_DATA_HOME: "" }]) {
      expect(resolveHostOutputFolder(env, "/home/u")).toBe(
        "/home/u/.local/share/opencode/tool-output",
      );
    }
  });
});
