import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { baseline, expectSteady, updates, useStage } from "./conformance/stage.ts";

setDefaultTimeout(120_000);

const SECRET = "hunter2-of-the-user";

/** Entries of a repository that is after the user's files, and one that is not. */
const SOURCES = {
  "team/address": { file: "file:///proc/self/environ" },
  "team/braces": { glob: ".{.,x}/secrets/*" },
  "team/dots": { file: "../secrets/key.pem" },
  "team/environment": { glob: "{/proc/self/environ,x}" },
  "team/folder": { glob: "docs/*/*.pem" },
  "team/freeze": { glob: `docs/${"*a".repeat(10)}b` },
  "team/link": { file: "docs/key.md" },
  "team/links": { glob: "docs/*.md" },
  "team/memory": { glob: "{1..9999}{1..9999}{1..9999}" },
  "team/process": { file: "docs/process.md" },
};

describe("a hostile project's own configuration on the real host", () => {
  const stage = useStage({ env: { STAGE_SECRET: SECRET } });

  test("reads nothing outside, freezes nothing, and is named once for each entry", async () => {
    const folder = stage.host.addProject("hostile", {
      "session-runtime.jsonc": JSON.stringify({ sources: SOURCES, recovery: "off" }, null, 1),
      "docs/a.md": "A rule of the project.\n",
      [`docs/${"a".repeat(200)}`]: "",
    });
    const secrets = join(dirname(folder), "secrets");
    mkdirSync(secrets);
    writeFileSync(join(secrets, "key.pem"), SECRET);
    symlinkSync(join(secrets, "key.pem"), join(folder, "docs/key.md"));
    symlinkSync("/proc/self/environ", join(folder, "docs/process.md"));
    symlinkSync(secrets, join(folder, "docs/out"));

    const talk = await stage.talk(stage.host.clientOf(folder));
    await talk.say("One");
    const startedAt = performance.now();
    await talk.say("Two");
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    talk.edit({ "docs/a.md": "Another rule.\n" });
    await talk.say("Three");

    expect(baseline(talk.main()[0] ?? talk.last())).toContain(
      "team/links:\ndocs/a.md:\nA rule of the project.",
    );
    expect(updates(talk.last())).toEqual([
      "team/links has changed. It is now:\ndocs/a.md:\nAnother rule.",
    ]);
    expectSteady(talk.main());
    for (const call of stage.provider.requests) {
      const wire = JSON.stringify(call);
      expect(wire).not.toContain(SECRET);
      expect(wire).not.toContain("STAGE_SECRET");
    }

    const log = readFileSync(join(dirname(stage.host.home.database), "runtime.log"), "utf8");
    expect(log).not.toContain(SECRET);
    const notices = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === "notice");
    const file = join(folder, "session-runtime.jsonc");
    for (const key of Object.keys(SOURCES)) {
      const about = notices.filter(({ message }) => message.includes(`sources.${key}:`));
      const expected = key === "team/freeze" ? 0 : 1;
      expect([key, about.length]).toEqual([key, expected]);
      if (expected === 1) expect(about[0].message).toStartWith(`${file}:`);
    }
  });
});
