import { describe, expect, test } from "bun:test";
import type { SourceProducer } from "../../../../src/registry.ts";
import { disposeAfterEach, fact, registered, registeredIn, Session } from "./session.ts";

disposeAfterEach();

const session = () => new Session("/work/app", "ses_1");

const given = (value: unknown): SourceProducer => {
  const produce: unknown = () => value;
  return produce as SourceProducer;
};

describe("a producer that fails costs only itself", () => {
  const failures: readonly (readonly [string, SourceProducer, string])[] = [
    [
      "throws",
      () => {
        throw new Error("no network");
      },
      "its producer threw Error",
    ],
    [
      "rejects with no error",
      () => Promise.reject("gone"),
      "its producer threw no error but a string",
    ],
    ["hangs", () => new Promise(() => undefined), "its producer did not answer within 200 ms"],
    ["gives no list", given({ key: "bad/one" }), "its producer did not return a list of sources"],
    ["gives nothing", given(undefined), "its producer did not return a list of sources"],
  ];

  test.each(failures)("I8: one that %s takes nothing back", async (_name, producer, reason) => {
    const one = session();
    registered("team/good", () => [fact("team/good", () => "fine")]);
    const dispose = registered("bad/entry", () => [
      fact("bad/one", () => "1"),
      fact("bad/two", () => "2"),
    ]);
    expect(await one.boundary()).toBe("bad/one: 1\n\nbad/two: 2\n\nteam/good: fine");
    dispose();
    const disposeBad = registered("bad/entry", producer);
    expect(await one.boundary()).toBe("unchanged");
    expect(one.reasons).toEqual([
      `bad/one: ${reason}`,
      `bad/two: ${reason}`,
      `bad/entry: ${reason}`,
    ]);
    disposeBad();
    registered("bad/entry", () => [fact("bad/one", () => "1")]);
    expect(await one.boundary()).toBe("bad/two: no more 2");
  });

  test("I2, I8: in a process that never saw it work, nothing that is unclaimed is taken back", async () => {
    const one = session();
    const dispose = registered("bad/entry", () => [fact("bad/one", () => "1")]);
    await one.boundary();
    dispose();
    registered("bad/entry", () => {
      throw new Error("not yet");
    });
    const again = one.restarted();
    expect(await again.boundary()).toBe("unchanged");
    expect(again.reasons).toEqual([
      "bad/one: its producer threw Error",
      "bad/entry: its producer threw Error",
    ]);
  });

  test("one that hangs is not called again while it does", async () => {
    const one = session();
    let calls = 0;
    registered("bad/entry", () => {
      calls += 1;
      return new Promise(() => undefined);
    });
    await one.boundary();
    await one.boundary();
    expect(calls).toBe(1);
    expect(one.reasons).toEqual(["bad/entry: its producer has not answered the previous call"]);
  });

  test("an entry that fails in one Location is not heard of in another", async () => {
    registeredIn("/elsewhere", "bad/entry", () => {
      throw new Error("no");
    });
    const one = session();
    expect(await one.boundary()).toBe("unchanged");
    expect(one.reasons).toEqual([]);
  });
});

describe("a source that is not what it should be costs only itself", () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [null, "bad/entry: a source is not an object"],
    ["bad/one", "bad/entry: a source is not an object"],
    [{}, 'bad/entry: a source has no key like "team/oncall"'],
    [{ ...fact("core/date", () => "x") }, 'bad/entry: a source has no key like "team/oncall"'],
    [{ key: "bad/one", load: "Ada" }, "bad/one: load, baseline, update: not a function"],
    [{ ...fact("bad/one", () => "x"), removed: "gone" }, "bad/one: removed: not a function"],
    [fact("team/good", () => "mine"), "bad/entry: the key team/good belongs to another source"],
  ];

  test.each(wrong)("%j", async (source, reason) => {
    const one = session();
    // The key that both want stays with the one that comes first.
    registered("another/entry", () => [fact("team/good", () => "fine")]);
    registered("bad/entry", given([source, fact("bad/two", () => "2")]));
    expect(await one.boundary()).toBe("team/good: fine\n\nbad/two: 2");
    expect(one.reasons).toEqual([reason]);
  });

  const values: readonly (readonly [string, () => unknown, string])[] = [
    ["undefined", () => undefined, "load returned nothing: if there is no value, return `absent`"],
    ["a function", () => () => 1, "A value can't be stored as JSON: function at $."],
    ["a Map", () => new Map(), "A value can't be stored as JSON: an instance of a class at $."],
    ["NaN", () => ({ a: [Number.NaN] }), "A value can't be stored as JSON: NaN at $.a[0]."],
    ["two megabytes", () => "x".repeat(2_000_000), "the value is larger than 1048576 bytes"],
    ["a promise that hangs", () => new Promise(() => undefined), "no answer within 50 ms"],
  ];

  test.each(values)("a value that is %s is unavailable", async (_name, load, reason) => {
    const one = session();
    const source = { ...fact("bad/one", () => ""), load, timeoutMs: 50 };
    registered("bad/entry", given([source, fact("bad/two", () => "2")]));
    expect(await one.boundary()).toBe("bad/two: 2");
    expect(one.reasons).toEqual([`bad/one: ${reason}`]);
  });
});
