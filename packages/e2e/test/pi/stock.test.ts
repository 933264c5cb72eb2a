import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi, openPi, PI_MODELS, type PiHome } from "../../src/pi/pi.ts";
import { rejections } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";

// What Pi does by itself: facts that our extension stands on.

setDefaultTimeout(600_000);

describe.skipIf(missingPi !== null)(missingPi ?? "stock Pi", () => {
  let pi: PiHome;

  beforeAll(async () => {
    pi = await openPi({ files: { "AGENTS.md": "Use tabs.\n", "notes.txt": "A note.\n" } });
  }, 600_000);
  afterAll(() => pi.close());

  test("stock Pi: a turn's calls keep the prefix, and an edit of AGENTS.md is not announced in the session", async () => {
    const running = pi.start();
    pi.provider.script.queue(call("read", { path: "notes.txt" }), say("A note."));
    await running.say("Read the notes");
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    await running.say("Go on");
    await running.end();
    expect(pi.provider.requests).toHaveLength(3);
    expect(rejections(pi.provider.requests)).toEqual([]);
    expect(prefixBreaks(pi.provider.requests)).toEqual([]);
    expect(pi.provider.requests[2]?.system).toContain("Use tabs.");
    expect(JSON.stringify(pi.provider.requests[2]?.body)).not.toContain("Use spaces.");
  });

  test("stock Pi: after a restart the edit stands in the leading prompt, and the whole conversation is billed again", async () => {
    const before = pi.provider.requests.length;
    const running = pi.start(["--continue"]);
    await running.say("Once more");
    await running.end();
    const last = pi.provider.requests.at(-1);
    expect(pi.provider.requests).toHaveLength(before + 1);
    expect(last?.system).toContain("Use spaces.");
    const breaks = prefixBreaks(pi.provider.requests.slice(-2));
    expect(breaks[0]).toContain("system/");
  });

  test("stock Pi: a model that takes instructions in mid-conversation gets the edit at the tail", async () => {
    writeFiles(pi.project, { "AGENTS.md": "Use tabs.\n" });
    pi.provider.script.instructions = "by-rule";
    const first = pi.start([], PI_MODELS.capable);
    await first.say("Hello");
    await first.end();
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    const second = pi.start(["--continue"], PI_MODELS.capable);
    await second.say("Go on");
    await second.end();
    const calls = pi.provider.requests.slice(-2);
    expect(rejections(calls)).toEqual([]);
    expect(prefixBreaks(calls)).toEqual([]);
    expect(calls[1]?.system).toContain("Use tabs.");
    expect(JSON.stringify(calls[1]?.body)).toContain("Use spaces.");
  });
});
