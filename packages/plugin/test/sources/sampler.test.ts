import { expect, test } from "bun:test";
import { absent, Unavailable } from "../../src/context/source.ts";
import { Sampler } from "../../src/sources/instruction-urls.ts";
import { type CommandResult, toLoadResult } from "../../src/sources/run-command.ts";

/** A command whose runs end when the test says so, by a clock of the test's own. */
function stage(refreshMs: number) {
  const clock = { nowMs: 1_000_000 };
  const ends: ((end: CommandResult) => void)[] = [];
  const run = () => new Promise<CommandResult>((resolve) => ends.push(resolve));
  const sampler = new Sampler({
    refreshMs,
    ask: async () => toLoadResult(await run()),
    now: () => clock.nowMs,
  });
  const end = async (output: string) => {
    ends.at(-1)?.({ kind: "said", output });
    await Promise.resolve();
  };
  /** What is given now; null where that has to be waited for. */
  const given = () => Promise.race([sampler.load(), Bun.sleep(2).then(() => null)]);
  return { clock, sampler, ends, end, given, runs: () => ends.length };
}

test("the first run is waited for, by all who ask", async () => {
  const { sampler, end, given, runs } = stage(100);
  expect(await given()).toBeNull();
  const loads = [sampler.load(), sampler.load()];
  await end("one\n \n");
  expect(await Promise.all(loads)).toEqual(["one", "one"]);
  expect(runs()).toBe(1);
});

test("its output stands while it is fresh, and while the next run lasts", async () => {
  const { clock, sampler, end, given, runs } = stage(100);
  void sampler.load();
  await end("one");
  clock.nowMs += 99;
  expect([await given(), runs()]).toEqual(["one", 1]);
  clock.nowMs += 1;
  expect([await given(), runs()]).toEqual(["one", 2]);
  expect([await given(), runs()]).toEqual(["one", 2]);
  await end("two");
  expect([await given(), runs()]).toEqual(["two", 2]);
});

test("a clock that was put back makes it old", async () => {
  const { clock, sampler, end, given, runs } = stage(100);
  void sampler.load();
  await end("one");
  clock.nowMs -= 99;
  expect([await given(), runs()]).toEqual(["one", 1]);
  clock.nowMs -= 1;
  expect([await given(), runs()]).toEqual(["one", 2]);
});

test("without a time of its own it runs each time, and each run is waited for", async () => {
  const { sampler, end, given, runs } = stage(0);
  void sampler.load();
  await end("one");
  expect([await given(), runs()]).toEqual([null, 2]);
  const load = sampler.load();
  await end("two");
  expect([await load, runs()]).toEqual(["two", 2]);
});

test("a failure is unavailable with its reason, blanks alone are nothing", async () => {
  const { sampler, ends, end } = stage(0);
  let load = sampler.load();
  ends.at(-1)?.({ kind: "failed", reason: "exit code 3" });
  expect(await load).toEqual(new Unavailable("exit code 3"));
  load = sampler.load();
  await end(" \n");
  expect(await load).toBe(absent);
});
