import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi } from "../../src/pi/pi.ts";
import { call, fail, held, makeGate, type Reply, say, trailOff } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { entries, times, updates, usePi } from "./stage.ts";

// Calls of the real Pi that fail, are stopped, or get company while they run.

setDefaultTimeout(600_000);

describe.skipIf(missingPi !== null)(missingPi ?? "calls that fail on the real Pi", () => {
  const stage = usePi();
  const edit = (rule: string) => writeFiles(stage.pi.project, { "AGENTS.md": `${rule}\n` });
  const queue = (...replies: readonly Reply[]) => stage.pi.provider.script.queue(...replies);
  const raw = () => stage.calls().map((one) => new TextDecoder().decode(one.raw));
  const arrived = (count: number) => stage.pi.provider.arrival(({ index }) => index === count - 1);

  test("J5, I3: on Pi, a refused and a cut call are repeated byte for byte, update included", async () => {
    const running = await stage.begin();
    await running.say("One");
    edit("Use spaces.");
    queue(fail(529), trailOff("Not heard in full"), say("At last."));
    await running.say("Two");
    const [, first, second, third] = raw();
    expect(second).toBe(first as string);
    expect(third).toBe(first as string);
    await running.say("Three");
    expect(updates(stage.last())).toBe(1);
    expect(prefixBreaks(stage.calls())).toEqual([]);
  });

  test("J5: on Pi, what changes between two attempts is announced by the second, after what the first had", async () => {
    const running = await stage.begin();
    await running.say("One");
    const gate = makeGate();
    queue(held(gate, fail(529)), say("At last."));
    const turn = running.say("Two");
    await arrived(2);
    edit("Use spaces.");
    gate.open();
    await turn;
    await running.say("Three");
    expect(times(stage.last(), "Use spaces.")).toBe(1);
    expect(prefixBreaks(stage.calls())).toEqual([]);
  });

  test("J5: on Pi, a request that is refused for good leaves its update in place, said once", async () => {
    const running = await stage.begin();
    await running.say("One");
    edit("Use spaces.");
    queue(fail(400));
    await running.say("Two");
    await running.say("Three");
    expect(updates(stage.last())).toBe(1);
    expect(prefixBreaks(stage.calls())).toEqual([]);
  });

  test("J5: on Pi, a call that the user stops is followed by one that extends it", async () => {
    const running = await stage.begin();
    await running.say("One");
    edit("Use spaces.");
    queue(held(makeGate(), say("Too late.")));
    const turn = running.say("Two");
    await arrived(2);
    expect(await running.ask({ type: "abort" })).toMatchObject({ success: true });
    await turn;
    await running.say("Three");
    expect(times(stage.last(), "Two")).toBe(1);
    expect(updates(stage.last())).toBe(1);
    expect(prefixBreaks(stage.calls())).toEqual([]);
  });

  test("J2, I5: on Pi, a prompt that steers and one that waits each come after what ran, and updates after them", async () => {
    const running = await stage.begin({ files: { "AGENTS.md": "Use tabs.\n", "note.txt": "N." } });
    const gate = makeGate();
    queue(held(gate, call("read", { path: "note.txt" })), say("Steered."), say("Followed."));
    const turn = running.say("Read the note.");
    await arrived(1);
    await running.ask({ type: "steer", message: "Rather be brief." });
    await running.ask({ type: "follow_up", message: "Then the next." });
    edit("Use spaces.");
    gate.open();
    await turn;
    const [, steered, followed] = stage.calls().map(({ body }) => JSON.stringify(body));
    const order = ["Read the note.", "N.", "Rather be brief.", "Use spaces."];
    const places = order.map((said) => steered?.lastIndexOf(said) ?? -1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(steered).not.toContain("Then the next.");
    expect(followed).toContain("Then the next.");
    expect(updates(stage.last())).toBe(1);
    expect(prefixBreaks(stage.calls())).toEqual([]);
  });

  test("I15: on Pi, a first call that takes us 7 s goes out whole after 5 s, and later ones are kept", async () => {
    await stage.begin();
    const slow = { command: { shell: "sleep 7; echo done" }, timeoutMs: 15_000 };
    const settings = { observation: { timeoutMs: 20_000 }, sources: { "team/slow": slow } };
    writeFiles(stage.pi.agent, { "session-runtime.json": JSON.stringify(settings) });
    const running = stage.pi.start();
    await running.say("The first question.");
    expect(times(stage.last(), "The first question.")).toBe(1);
    expect(stage.last().system).toContain("Use tabs.");
    expect(stage.last().system).not.toContain("Today's date");
    const notices = running.events.filter(({ method }) => method === "notify");
    expect(notices.map(({ message }) => String(message))).toEqual([
      expect.stringContaining("took longer than 5 s in context"),
    ]);
    await Bun.sleep(3_000);
    for (const said of ["Two", "Three", "Four"]) await running.say(said);
    const [, ...later] = stage.calls();
    expect(later).toHaveLength(3);
    for (const one of later) expect(one.system).toContain("team/slow:\ndone");
    expect(prefixBreaks(later)).toEqual([]);
    expect(running.events.filter(({ type }) => type === "extension_error")).toEqual([]);
  });

  test("on Pi, a session without a prompt leaves no database", async () => {
    const running = await stage.begin();
    await running.ask({ type: "get_state" });
    await running.end();
    expect(existsSync(stage.pi.database)).toBe(false);
    const asked = stage.pi.start();
    await asked.say("One");
    await asked.end();
    expect(existsSync(stage.pi.database)).toBe(true);
  });

  test("J18: on Pi, a compaction that fails leaves all as it was; the next one begins an epoch", async () => {
    const running = await stage.begin({ settings: { compaction: { keepRecentTokens: 100 } } });
    await running.say("Hello");
    await running.say(`A long one: ${"word ".repeat(500)}`);
    edit("Use spaces.");
    await running.say("The last one");
    stage.pi.provider.script.respond("compaction", () => fail(400));
    stage.pi.provider.script.respond("main", () => fail(400));
    const failed = await running.ask({ type: "compact" });
    expect(failed).toMatchObject({ success: false });
    expect(String(failed.error)).toContain("Scripted failure 400");
    stage.pi.provider.script.reset();
    const former = stage.calls()[2];
    await running.say(`After the failure: ${"word ".repeat(500)}`);
    expect(prefixBreaks([former, stage.last()].filter((one) => one !== undefined))).toEqual([]);
    expect(await running.ask({ type: "compact" })).toMatchObject({ success: true });
    await running.say("After the compaction");
    expect(stage.last().system).toContain("Use spaces.");
    expect(updates(stage.last())).toBe(0);
  });

  test("J18: on Pi, a call that is refused for its length is compacted and made again", async () => {
    const running = await stage.begin({ settings: { compaction: { keepRecentTokens: 2_000 } } });
    for (let turn = 0; turn < 4; turn += 1) {
      await running.say(`Question ${turn}: ${"word ".repeat(3_000)}`);
    }
    stage.pi.provider.script.limitTokens = 12_000;
    await running.say("And now?");
    stage.pi.provider.script.limitTokens = null;
    const compacted = running.events.filter(({ type }) => type === "compaction_end");
    expect(compacted).toMatchObject([{ reason: "overflow", willRetry: true }]);
    const retried = stage.last();
    expect(retried.outcome.type).toBe("answered");
    expect(times(retried, "And now?")).toBe(1);
    // Once the answer has said how much the call took, what doesn't fit beside an output is cut, once.
    await running.say("And then?");
    await running.say("And after that?");
    const [before, after] = stage.calls().slice(-2);
    if (!before || !after) throw new Error("two calls expected");
    expect(times(after, "And now?")).toBe(1);
    expect(prefixBreaks([before, after])).toEqual([]);
  });

  test("J19, J6: on Pi, the epoch of a compaction outlives a restart, and a move before it brings the former back", async () => {
    const settings = { compaction: { keepRecentTokens: 100 } };
    const first = await stage.begin({ settings });
    await first.say("Hello");
    await first.say(`A long one: ${"word ".repeat(500)}`);
    await first.say("The last one");
    const former = stage.last();
    const left = (await entries(first)).at(-1);
    edit("Use spaces.");
    expect(await first.ask({ type: "compact" })).toMatchObject({ success: true });
    await first.say("After it");
    expect(stage.last().system).toContain("Use spaces.");
    const compacted = stage.last();
    await first.end();
    const second = stage.pi.start(["--continue"]);
    await second.say("After the restart");
    expect(prefixBreaks([compacted, stage.last()])).toEqual([]);
    await second.say(`/tree-to ${String(left?.id)}`);
    await second.say("Before it again");
    expect(prefixBreaks([former, stage.last()])).toEqual([]);
    expect(times(stage.last(), "Use spaces.")).toBe(1);
  });
});
