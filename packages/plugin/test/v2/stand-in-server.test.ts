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
}, 180_000);
