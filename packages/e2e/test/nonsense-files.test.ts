import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MODELS } from "../src/host/models.ts";
import { say } from "../src/provider/reply.ts";
import { baseline, expectSteady, OURS, type Talk, updates, useStage } from "./conformance/stage.ts";

const SEED = Number(process.env.SEED ?? 20_261_123);

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const draw = random(SEED);

/** Any bytes at all: NUL, control characters, and mostly no UTF-8. */
function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(draw() * 256));
}

const encoder = new TextEncoder();

/** Halves of surrogate pairs as some programs write them (CESU-8), which is no UTF-8. */
const halves = Uint8Array.of(0xed, 0xa0, 0xbd, 0x20, 0xed, 0xb8, 0x80, 0x0a);

const NONSENSE: Readonly<Record<string, () => Uint8Array>> = {
  "random bytes": () => bytes(6_000),
  "NUL and control characters": () => bytes(2_000).map((byte) => byte % 32),
  "halves of surrogate pairs": () => Buffer.concat([halves, encoder.encode("a rule\n"), halves]),
  "a line of 200,000 characters": () => encoder.encode(`${"long ".repeat(40_000)}${draw()}`),
  "a byte order mark, then bytes that break off": () =>
    Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xf0, 0x9f),
};

describe(`project files of nonsense on the real host (SEED=${SEED})`, () => {
  const stage = useStage({ plugin: [[OURS, { cache: { split: "auto" } }]] });

  function fill(make: () => Uint8Array): void {
    for (const name of ["AGENTS.md", "SESSION.md"]) {
      writeFileSync(join(stage.host.project, name), make());
    }
  }

  async function compact({ client, id }: Talk): Promise<void> {
    await client.summarize(id, MODELS.anthropic);
  }

  test.each(Object.keys(NONSENSE))(
    "I1, I2: %s: sent, told once when it changes, and stable over calls, restarts and a compaction",
    async (name) => {
      const make = NONSENSE[name];
      if (!make) throw new Error(name);
      stage.provider.script.respond("compaction", () => say("A summary."));
      fill(make);
      const talk = await stage.talk();
      await talk.say("One");
      const frozen = baseline(talk.last());
      expect(frozen).toContain("Instructions from:");
      await talk.say("Two");
      await stage.host.restart({});
      await talk.say("Three");
      expect(baseline(talk.last())).toBe(frozen);
      expect(updates(talk.last())).toEqual([]);
      fill(make);
      await talk.say("Four");
      const told = updates(talk.last());
      expect(told.length).toBeLessThanOrEqual(1);
      await stage.host.restart({});
      await talk.say("Five");
      expect(updates(talk.last())).toEqual([...told]);
      expect(baseline(talk.last())).toBe(frozen);
      expectSteady(talk.main());
      const before = talk.main().length;
      await compact(talk);
      await talk.say("Six");
      const opened = baseline(talk.last());
      await stage.host.restart({});
      await talk.say("Seven");
      expect(baseline(talk.last())).toBe(opened);
      expectSteady(talk.main().slice(before));
    },
  );
});
