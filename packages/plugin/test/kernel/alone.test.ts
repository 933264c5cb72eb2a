// The kernel without any feature and without the host's packages: what it loads, and a session that it plays.
import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { resolveImport, sourceFilesIn } from "../import-graph.ts";
import type { PlayedCall } from "./session.ts";

const folder = mkdtempSync(join(tmpdir(), "session-runtime-kernel-"));
afterAll(() => rmSync(folder, { recursive: true }));

const KERNEL = ["context", "ledger", "session", "storage"];
const source = resolve(import.meta.dir, "../../src");
const program = join(import.meta.dir, "session.ts");

const run = (command: string, ...words: readonly string[]) => runWith({}, command, ...words);

function runWith(
  variables: Readonly<Record<string, string>>,
  command: string,
  ...words: readonly string[]
): string {
  const env = { ...process.env, BUN_BE_BUN: "1", ...variables };
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: "utf8", env });
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: ${stderr}`);
  return stdout;
}

const play = (): PlayedCall =>
  JSON.parse(run(process.execPath, program, "play", join(folder, "runtime.db")));
const played = play();

describe("the kernel alone", () => {
  test("reaches no feature, no contract of one, and no package of the host's", () => {
    const files = new Map(sourceFilesIn(source).map((file) => [file.path, file]));
    const features = [...files.keys()]
      .filter((path) => /(?:\/|-)feature\.ts$/.test(path))
      .map(dirname);
    expect(features.length).toBeGreaterThan(10);
    const open = [...files.keys()].filter((path) => KERNEL.includes(path.split("/")[0] ?? ""));
    const reached = new Set(open);
    const packages = new Set<string>();
    for (const path of reached) {
      const file = files.get(path);
      if (file === undefined) throw new Error(`no file ${path}`);
      for (const specifier of file.imports) {
        const target = resolveImport(source, file, specifier);
        if (target === null) packages.add(specifier);
        else reached.add(target);
      }
    }
    const inRooms = [...reached].filter((path) =>
      features.some((feature) => path.startsWith(`${feature}/`)),
    );
    expect(inRooms).toEqual([]);
    const outside = [...reached].map((path) => path.split("/")[0] ?? path);
    expect([...new Set(outside)].filter((one) => !KERNEL.includes(one)).toSorted()).toEqual([
      ...["project", "sources"],
    ]);
    expect([...packages].filter((one) => /^(?:@opencode-ai|@opentui|solid-js)/.test(one))).toEqual(
      [],
    );
  });

  test("plays a session under the host's Bun, announces a change once, and goes on after a restart", () => {
    const [first, second, third] = played.sent;
    const texts = (call = played.sent[0]) =>
      (call?.[1] ?? []).flatMap(({ parts }) =>
        parts.map((part) => ("text" in part ? part.text : "")),
      );
    expect(texts(first)).toEqual(["Hello."]);
    const update = expect.stringMatching(
      /^<system-update>\n[\s\S]*Nov 21 2026[\s\S]*<\/system-update>$/,
    );
    expect(texts(second)).toEqual(["Hello.", "Answer 0.", "Go on.", update]);
    expect(JSON.stringify(third?.[1].slice(0, second?.[1].length))).toBe(
      JSON.stringify(second?.[1]),
    );
    expect(texts(third).slice(4)).toEqual(["Answer 1.", "And then?"]);
    expect(second?.[0]).toEqual([...(first?.[0] ?? [])]);
    expect(third?.[0]).toEqual([...(first?.[0] ?? [])]);
    expect(first?.[0].join("\n")).toContain("Nov 20 2026");
  });

  test("loads under Node, and replays to the same bytes; where Node has SQLite, plays the session too", () => {
    const outdir = join(folder, "node");
    const options = ["--target=node", "--splitting", "--external=bun:*", "--outdir", outdir];
    // With a preload among its options, which mutation testing sets, Bun takes `build` for a script.
    runWith({ BUN_OPTIONS: "" }, process.execPath, "build", program, ...options);
    const bundle = join(outdir, "session.js");
    writeFileSync(join(outdir, "package.json"), '{ "type": "module" }');
    const output = join(folder, "played.json");
    writeFileSync(output, JSON.stringify(played));
    const node = (...words: readonly string[]) => run("node", bundle, ...words);
    expect(node("replay", output).trim()).toBe(JSON.stringify(played.sent[2]?.[1]));
    const hasSqlite = run("node", "-p", "require('node:module').isBuiltin('node:sqlite')").trim();
    if (hasSqlite === "true") {
      expect(JSON.parse(node("play", join(folder, "node.db"))).sent).toEqual([...played.sent]);
    }
  });
});
