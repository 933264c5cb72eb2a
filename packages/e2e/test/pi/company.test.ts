import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi, openPi, PI_DIALECTS } from "../../src/pi/pi.ts";
import { billed } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { times, updates, usePi } from "./stage.ts";

// The real Pi beside other providers, other extensions, other processes, and a broken database.

setDefaultTimeout(600_000);

const FORCER = join(import.meta.dir, "../../fixtures/pi/forces-prompt.js");
const CHANGER = join(import.meta.dir, "../../fixtures/pi/changer.js");

describe.skipIf(missingPi !== null)(missingPi ?? "the real Pi and what is beside it", () => {
  const stage = usePi();
  const edit = (rule: string) => writeFiles(stage.pi.project, { "AGENTS.md": `${rule}\n` });
  const notices = (events: readonly Readonly<Record<string, unknown>>[]) =>
    events.filter(({ method }) => method === "notify").map(({ message }) => String(message));

  for (const [api, { model }] of Object.entries(PI_DIALECTS)) {
    test(`J17: on Pi, a model by ${api} gets a valid request with one prefix, and an edit once`, async () => {
      await stage.begin({ files: { "AGENTS.md": "Use tabs.\n", "note.txt": "A note.\n" } });
      const running = stage.pi.start(["--model", model]);
      stage.pi.provider.script.queue(call("read", { path: "note.txt" }), say("Read."));
      await running.say("Read the note.");
      edit("Use spaces.");
      await running.say("Go on");
      await running.end();
      const again = stage.pi.start(["--model", model, "--continue"]);
      await again.say("And on");
      expect(stage.calls()).toHaveLength(4);
      expect(stage.calls().map(({ dialect }) => dialect)).not.toContain("anthropic");
      expect(stage.calls()[0]?.system).toContain("Use tabs.");
      expect(times(stage.last(), "Use spaces.")).toBe(1);
      expect(prefixBreaks(stage.calls())).toEqual([]);
    });
  }

  test("J24, I15: on Pi, an extension that changes the messages before ours has them sent as it wants, and the user hears why", async () => {
    const before = await stage.begin({ extensions: [CHANGER] });
    await before.say("One");
    await before.say("Two");
    expect(times(stage.last(), "By another.")).toBe(1);
    expect(notices(before.events)).toHaveLength(1);
    expect(notices(before.events)[0]).toContain("Another Pi extension");
    await stage.pi.close();
    await stage.begin();
    const after = stage.pi.start(["-e", CHANGER]);
    await after.say("Three");
    edit("Use spaces.");
    await after.say("Four");
    expect(times(stage.last(), "By another.")).toBe(1);
    expect(times(stage.last(), "Use spaces.")).toBe(1);
    expect(notices(after.events)).toEqual([]);
  });

  for (const place of ["before", "after"] as const) {
    test(`J24: on Pi, where an extension ${place} ours replaces the system prompt, requests are Pi's own, no rule stands twice over a restart, and the user hears why`, async () => {
      const words = place === "after" ? ["-e", FORCER] : [];
      await stage.begin(place === "before" ? { extensions: [FORCER] } : {});
      const running = stage.pi.start(words);
      await running.say("One");
      edit("Use spaces.");
      await running.say("Two");
      await running.end();
      const again = stage.pi.start([...words, "--continue"]);
      await again.say("Three");
      expect(stage.calls()).toHaveLength(3);
      for (const one of stage.calls()) expect(times(one, "Talk like a pirate.")).toBe(1);
      expect(stage.calls().map((one) => times(one, "Use tabs."))).toEqual([1, 1, 0]);
      expect(stage.calls().map((one) => times(one, "Use spaces."))).toEqual([0, 0, 1]);
      for (const { events } of [running, again]) {
        expect(notices(events)).toHaveLength(1);
        expect(notices(events)[0]).toContain("replaces the whole system prompt");
      }
    });
  }

  test("J11, I12: on Pi, four sessions of one project at once each keep their prefix and hear of an edit once", async () => {
    const first = await stage.begin();
    const all = [first, ...[2, 3, 4].map(() => stage.pi.start())];
    const said = (text: string) => Promise.all(all.map((one, at) => one.say(`${text} of ${at}`)));
    await said("First");
    edit("Use spaces.");
    await said("Second");
    await said("Third");
    for (const at of all.keys()) {
      const own = stage.calls().filter((one) => times(one, `First of ${at}`) > 0);
      expect(own).toHaveLength(3);
      expect(prefixBreaks(own)).toEqual([]);
      expect(own.at(-1) && updates(own.at(-1) ?? stage.last())).toBe(1);
    }
  });

  test("K2: on Pi, two processes that continue one session each keep the prefix of their own branch", async () => {
    const first = await stage.begin();
    await first.say("Root");
    const second = stage.pi.start(["--continue"]);
    await second.ask({ type: "get_state" });
    edit("Use spaces.");
    await first.say("Left one");
    await second.say("Right one");
    await first.say("Left two");
    await second.say("Right two");
    for (const side of ["Left", "Right"]) {
      const own = stage.calls().filter((one) => times(one, `${side} one`) > 0);
      expect(own).toHaveLength(2);
      expect(prefixBreaks([...stage.calls().slice(0, 1), ...own])).toEqual([]);
      expect(times(own.at(-1), "Use spaces.")).toBe(1);
    }
  });

  test("J14: on Pi, a second project's first turn reads the tools from the cache; all of the system is one text of Pi's", async () => {
    const running = await stage.begin();
    await running.say("One");
    const other = await openPi({
      extensions: [stage.extension()],
      providerUrl: stage.pi.provider.url,
      files: { "AGENTS.md": "Use spaces.\n" },
    });
    const elsewhere = other.start();
    await elsewhere.say("One");
    await other.close();
    const [, second] = billed(stage.calls());
    if (!second) throw new Error("two calls expected");
    const { readTokens, writeTokens } = second.usage;
    expect(readTokens).toBeGreaterThan(writeTokens);
  });

  test("J16: on Pi, a fork goes on with its parent's prefix, and hears of what comes after by itself", async () => {
    const running = await stage.begin();
    await running.say("One");
    edit("Use spaces.");
    await running.say("Two");
    const former = stage.last();
    await running.ask({ type: "clone" });
    edit("Use both.");
    await running.say("Three, in the fork");
    await running.say("Four");
    expect(prefixBreaks([former, ...stage.calls().slice(-2)])).toEqual([]);
    expect(times(stage.last(), "Use spaces.")).toBe(1);
    expect(times(stage.last(), "Use both.")).toBe(1);
  });

  test("K6: on Pi, the database is 0600 in a folder of 0700", async () => {
    const running = await stage.begin();
    await running.say("One");
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect([mode(stage.pi.database), mode(dirname(stage.pi.database))]).toEqual([0o600, 0o700]);
  });

  test("K3: on Pi, a damaged database is moved aside with one notice, and a new one begun", async () => {
    await stage.begin();
    mkdirSync(dirname(stage.pi.database), { recursive: true });
    writeFileSync(stage.pi.database, "SQLite format 3\0, and nothing of it.".padEnd(8_192, "x"));
    const running = stage.pi.start();
    await running.say("One");
    edit("Use spaces.");
    await running.say("Two");
    expect(notices(running.events)).toHaveLength(1);
    expect(notices(running.events)[0]).toContain("moved");
    expect(updates(stage.last())).toBe(1);
    expect(readFileSync(stage.pi.database).subarray(0, 15).toString()).toBe("SQLite format 3");
  });

  test("J13: on Pi, a session makes no call but its own, and a compaction's is Pi's own but for the brief", async () => {
    const settings = { compaction: { keepRecentTokens: 100 } };
    const asked = async (extensions: readonly string[]) => {
      const pi = await openPi({ extensions, settings, files: { "AGENTS.md": "Use tabs.\n" } });
      const running = pi.start();
      for (const said of ["Hello", `Long: ${"word ".repeat(500)}`, "Last"]) await running.say(said);
      expect(pi.provider.requests).toHaveLength(3);
      await running.ask({ type: "compact" });
      const body = JSON.stringify(pi.provider.requests[3]?.body);
      await pi.close();
      return body;
    };
    await stage.begin();
    const [stock, ours] = [await asked([]), await asked([stage.extension()])];
    const [head = "", tail = ""] = ours.split("\\n\\nAdditional focus: ");
    expect(head.length).toBeGreaterThan(100);
    expect(stock.startsWith(head)).toBe(true);
    expect(tail).toContain("Stage-Aware Continuation");
  });
});
