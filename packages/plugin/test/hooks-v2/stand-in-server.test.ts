// The driver of a real host, with the stand-in behind the API that it calls: all facts hold over it, too.
import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

test("V2: each fact is checked over the driver that HOST_V2 puts in the stand-in's place", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-host-v2-"));
  const path = join(folder, "opencode2");
  const server = join(import.meta.dir, "stand-in-server.ts");
  writeFileSync(path, `#!/bin/sh\nBUN_BE_BUN=1 exec "${process.execPath}" run "${server}"\n`);
  chmodSync(path, 0o755);
  try {
    const facts = join(import.meta.dir, "facts.test.ts");
    const { stderr, exitCode } = Bun.spawnSync(
      [process.execPath, "test", "--timeout", "60000", facts],
      { env: { ...process.env, BUN_BE_BUN: "1", HOST_V2: path } },
    );
    const said = stderr.toString();
    expect(said.match(/^\(fail\).*$/gm) ?? []).toEqual([]);
    expect(exitCode).toBe(0);
    expect(said).toMatch(/^ *24 pass$/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 600_000);

test("the server refuses what the protocol of 2.0.26 refuses, and takes what it takes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-host-v2-"));
  const mock = { settings: { baseURL: "http://127.0.0.1:9/v1" }, models: { opus: { limit: {} } } };
  writeFileSync(
    join(folder, "opencode.json"),
    JSON.stringify({ providers: { mock }, plugins: [] }),
  );
  const server = join(import.meta.dir, "stand-in-server.ts");
  const child = Bun.spawn([process.execPath, "run", server], {
    cwd: folder,
    env: { ...process.env, BUN_BE_BUN: "1", OPENCODE_SERVER_PASSWORD: "word" },
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    let said = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (said.includes("\n")) break;
    }
    const url = /http:\S+/.exec(said)?.[0] ?? "";
    const headers = { authorization: `Basic ${btoa("opencode:word")}` };
    const status = async (path: string, body: object) =>
      (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
    expect(await status("/api/session/ses_1/prompt", { prompt: { text: "Hello" } })).toBe(400);
    expect(await status("/api/session/ses_1/command", { command: "x", arguments: "" })).toBe(400);
    expect(await status("/api/session/ses_1/wait", {})).toBe(404);
    expect(await status("/api/session/ses_1/no-such-thing", {})).toBe(404);
    expect(await status("/api/session/ses_1/command", { name: "x", text: "" })).toBe(200);
    expect(await status("/api/experimental/session/ses_1/wait", {})).toBe(200);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
}, 60_000);
