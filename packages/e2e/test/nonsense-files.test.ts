import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeClient } from "../src/client/client.ts";
import { MODELS } from "../src/host/models.ts";
import { say } from "../src/provider/reply.ts";
import { baseline, expectSteady, OURS, type Talk, updates, useStage } from "./conformance/stage.ts";
import { LONG } from "./long.ts";

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

/** Each kind costs a project at each start of the host: those of the second list are in long runs. */
const NONSENSE: Readonly<Record<string, () => Uint8Array>> = {
  "random bytes": () => bytes(6_000),
  "halves of surrogate pairs": () => Buffer.concat([halves, encoder.encode("a rule\n"), halves]),
  "a byte order mark, then bytes that break off": () =>
    Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xf0, 0x9f),
  ...(LONG
    ? {
        "NUL and control characters": () => bytes(2_000).map((byte) => byte % 32),
        "a line of 200,000 characters": () => encoder.encode(`${"long ".repeat(40_000)}${draw()}`),
      }
    : {}),
};

/** A session in a folder of its own, whose instructions are nonsense of one kind. */
interface Place {
  readonly what: string;
  readonly talk: Talk;
  /** Other nonsense of the same kind. */
  readonly fill: () => void;
}

describe(`project files of nonsense on the real host (SEED=${SEED})`, () => {
  const stage = useStage({ plugin: [[OURS, { cache: { split: "auto" } }]] });

  async function createPlace([what, make]: readonly [string, () => Uint8Array]): Promise<Place> {
    const folder = join(stage.host.project, what.replaceAll(/\W/g, "-"));
    mkdirSync(folder);
    const fill = () => {
      for (const name of ["AGENTS.md", "SESSION.md"]) writeFileSync(join(folder, name), make());
    };
    fill();
    return { what, fill, talk: await stage.talk(makeClient(() => stage.host.url, folder)) };
  }

  test("I1, I2: sent, told once when they change, and stable over calls, restarts and a compaction", async () => {
    stage.provider.script.respond("compaction", () => say("A summary."));
    const places = await Promise.all(Object.entries(NONSENSE).map(createPlace));
    const everywhere = (work: (place: Place) => unknown) => Promise.all(places.map(work));
    const sayAll = (text: string) => everywhere(({ talk }) => talk.say(text));
    const baselines = () => places.map(({ what, talk }) => [what, baseline(talk.last())]);
    const told = () => places.map(({ what, talk }) => [what, updates(talk.last())]);
    await sayAll("One");
    const frozen = baselines();
    for (const [, text] of frozen) expect(text).toContain("Instructions from:");
    expect(new Set(frozen.map(([, text]) => text)).size).toBe(places.length);
    await sayAll("Two");
    await stage.host.restart({});
    await sayAll("Three");
    expect(baselines()).toEqual(frozen);
    expect(told()).toEqual(places.map(({ what }) => [what, []]));
    for (const { fill } of places) fill();
    await sayAll("Four");
    const changed = told();
    for (const [what, texts] of changed) expect(texts?.length, String(what)).toBeLessThanOrEqual(1);
    await stage.host.restart({});
    await sayAll("Five");
    expect(told()).toEqual(changed);
    expect(baselines()).toEqual(frozen);
    for (const { talk } of places) expectSteady(talk.main());
    const before = places.map(({ talk }) => talk.main().length);
    await everywhere(({ talk }) => talk.client.summarize(talk.id, MODELS.anthropic));
    await sayAll("Six");
    const opened = baselines();
    await stage.host.restart({});
    await sayAll("Seven");
    expect(baselines()).toEqual(opened);
    for (const [index, { talk }] of places.entries()) {
      expectSteady(talk.main().slice(before[index]));
    }
  });
});
