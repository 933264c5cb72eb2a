import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { makeHome } from "../throwaway-home.ts";

setDefaultTimeout(60_000);

test("the bundle is for its owner alone, new or written over, and holds no secret of the config", async () => {
  const home = makeHome();
  const secret = ["hunter2", "hunter2"].join("");
  const plugin = `https://me:${secret}@example.org/plugin.tgz?token=${secret}`;
  const config = home.write(
    "answer.json",
    JSON.stringify({ plugin_origins: [{ spec: plugin, source: "global" }] }),
  );
  home.write(
    ".fake-bin/opencode",
    `#!/bin/sh\nif [ "$1" = debug ]; then cat "${config}"; else echo 1.18.33; fi\n`,
  );
  for (const before of ["absent", "readable by all"]) {
    if (before !== "absent") chmodSync(home.path("report.md"), 0o644);
    const { err } = await home.run("doctor", "--no-live", "--bundle", "report.md");
    expect(err).not.toContain("This should not have happened");
    expect((statSync(home.path("report.md")).mode & 0o777).toString(8)).toBe("600");
    const report = home.read("report.md");
    expect(report).toContain("https://example.org/plugin.tgz");
    expect(report).not.toContain(secret);
  }
});
