import { describe, expect, test } from "bun:test";
import { cacheByMessage } from "../../src/ledger/digest.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  assistant,
  done,
  failed,
  ignored,
  image,
  type LoosePart,
  open,
  pruned,
  reasoning,
  text,
  user,
} from "./history.ts";

/** Whose results count how often something was made. */
function counting() {
  let made = 0;
  return cacheByMessage(() => {
    made += 1;
    return made;
  });
}

/** As the host hands it out: new objects each time. */
const saying = (...parts: readonly LoosePart[]) => assistant("a1", ...parts);

describe("what is made of a message", () => {
  test("is made once for each of the two forms in which calls look at it", () => {
    const count = counting();
    const forms = ["own", "stub", "own", "stub"];
    expect(forms.map((output) => count(saying(text("x"), done("c1", output))))).toEqual([
      ...[1, 2],
      ...[1, 2],
    ]);
    expect(count(saying(text("x"), done("c1", "a third form")))).toBe(3);
    expect(count(saying(text("x"), done("c1", "stub")))).toBe(2);
    expect(count(saying(text("x"), done("c1", "own")))).toBe(4);
  });

  test("is made again when what a part says, or which parts there are, has changed", () => {
    const step = { type: "step-start" } as const;
    const former: [readonly LoosePart[], readonly LoosePart[]][] = [
      [[text("seen")], [text("unseen")]],
      [[text("seen")], [ignored("seen")]],
      [[text("seen")], [reasoning("seen")]],
      [[done("c1", "seen")], [pruned("c1", "seen")]],
      [[done("c1", "seen")], [failed("c1", "seen")]],
      [[failed("c1", "seen")], [failed("c1", "other")]],
      [[text("seen")], [text("seen"), step]],
      [
        [step, text("seen")],
        [{ type: "step-finish" }, text("other")],
      ],
      // Of other kinds, by their length alone.
      [[text("x".repeat(8))], [ignored("")]],
      [[reasoning("xx")], [pruned("c1", "x")]],
      [[reasoning("x".repeat(8))], [step]],
      [[done("c1", "x")], [step]],
      [[done("c1", "x".repeat(8))], [pruned("c1", "")]],
      [[failed("c1", "x".repeat(16))], [step]],
    ];
    for (const [before, after] of former) {
      const count = counting();
      const made = [before, before, after, after].map((parts) => count(saying(...parts)));
      expect([before, made]).toEqual([before, [1, 1, 2, 2]]);
    }
  });

  test("is remembered by message: equal words in another one are its own", () => {
    const count = counting();
    const [one, other] = [user("u1", text("x")), user("u2", text("x"))];
    expect([one, other, one, other].map(count)).toEqual([1, 2, 1, 2]);
  });

  test("belongs to these parts: others that say the same are looked at", () => {
    const count = counting();
    const [part] = saying(text("x")).parts;
    if (!part) throw new Error("no part");
    const named = (id: string) => ({ ...saying(), parts: [{ ...part, id }] });
    expect([named("p1"), named("p2"), named("p1")].map(count)).toEqual([1, 2, 1]);
  });

  test("is remembered where the host notes a step's changes", () => {
    const count = counting();
    const parts = saying(text("x")).parts.map((part) => ({ ...part, type: "patch" }));
    const patched = () => ({ ...saying(), parts: structuredClone(parts) }) as HostMessage;
    expect([count(patched()), count(patched())]).toEqual([1, 1]);
  });

  test("is made at each call as long as a part may change without a sign", () => {
    for (const part of [open("c1", "running"), open("c1", "pending"), image("x")]) {
      const count = counting();
      expect([count(saying(part)), count(saying(part))]).toEqual([1, 2]);
    }
  });

  test("is forgotten with all others once there are more than a few sessions' worth", () => {
    const count = counting();
    count(user("u0", text("x")));
    for (let index = 1; index <= 20_000; index += 1) count(user(`u${index}`, text("x")));
    expect(count(user("u20000", text("x")))).toBe(20_001);
    expect(count(user("u0", text("x")))).toBe(20_002);
  });
});
