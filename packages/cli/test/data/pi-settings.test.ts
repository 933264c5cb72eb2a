import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadEffectiveConfig } from "../../src/database/effective-config.ts";
import { findDatabase } from "../../src/database/place.ts";

test("settings for Pi alone count on the command line, below those for both hosts", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-settings-")));
  const env = { HOME: home };
  const write = (path: string, value: object) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(value));
  };
  try {
    write(".pi/agent/session-runtime.jsonc", {
      storage: { path: "~/pi.db" },
      date: { timeZone: "Europe/Lisbon" },
    });
    expect(await findDatabase(undefined, env)).toMatchObject({ path: join(home, "pi.db") });
    expect((await loadEffectiveConfig(home, env)).date.timeZone).toBe("Europe/Lisbon");
    write(".config/opencode/session-runtime.json", { storage: { path: "~/both.db" } });
    expect(await findDatabase(undefined, env)).toMatchObject({ path: join(home, "both.db") });
    const { date, storage } = await loadEffectiveConfig(home, env);
    expect([date.timeZone, storage.path]).toEqual(["Europe/Lisbon", "~/both.db"]);
    write("project/.pi/session-runtime.json", { enabled: false });
    expect((await loadEffectiveConfig(join(home, "project"), env)).enabled).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
