import { describe, expect, test } from "bun:test";
import {
  type Afterwards,
  count,
  emptyTally,
  expectOnce,
  goOn,
  killAfter,
  killAndCheck,
  randomOf,
  setRecovery,
  type Tally,
  tear,
} from "./inbox-kills.ts";
import { useInboxHost } from "./inbox-stage.ts";
import { longTest } from "./long.ts";

const SEED = 20_261_123;
const LAST_MS = 60;
const EVERY_MS = Array.from({ length: LAST_MS + 1 }, (_, ms) => ms);
const TIMES = 10;

const bench = useInboxHost();

const AFTERWARDS: Readonly<Record<Afterwards, string>> = {
  next: "with the next prompt typed",
  resume: "with /ctx-resume",
  auto: 'with recovery: "auto"',
};
const ways = Object.keys(AFTERWARDS) as readonly Afterwards[];

const everyNth = (list: readonly number[], step: number, from: number) =>
  list.filter((_, index) => index % step === from);

/** A host whose plugin is up: the first prompt of all waits for that. */
async function warm(): Promise<void> {
  const { host } = bench();
  // A test that failed may have left none running.
  const { id } = await host.client.createSession().catch(async () => {
    await host.start({});
    return host.client.createSession();
  });
  await host.client.prompt(id, "Before all");
}

describe("I16: a prompt of which the host saved the row and not all parts", () => {
  for (const afterwards of ways) {
    test(`${AFTERWARDS[afterwards]}: is neither lost nor doubled`, async () => {
      const place = bench();
      await warm();
      setRecovery(place, afterwards);
      // Of three, one has a file, and so several parts.
      const fired = await killAfter(place, [0, 0, 0], { kind: "saved" }, randomOf(SEED));
      const tally = emptyTally();
      for (const { messageId, withFile } of fired) tear(place, messageId, withFile ? 1 : 0);
      for (const shot of fired) expect(count(place, shot, tally)).toBe("admitted");
      expect(tally.torn).toBe(3);
      await place.host.start({});
      await Promise.all(fired.map((shot) => goOn(place, shot, afterwards)));
      for (const shot of fired) await expectOnce(place, shot, afterwards);
    });
  }
});

describe(`I16: kill -9 by the millisecond after a prompt (seed ${SEED})`, () => {
  for (const afterwards of ways) {
    const random = randomOf(SEED);
    const title = (what: string) => `${what}, ${AFTERWARDS[afterwards]}: none lost, none twice`;
    const many = async (delaysMs: readonly number[], tally: Tally) => {
      const moment = { kind: "admitted", share: random() } as const;
      await killAndCheck(bench(), delaysMs, moment, afterwards, random, tally);
    };

    test(title("of many sessions at once"), async () => {
      await warm();
      const tally = emptyTally();
      await many(everyNth(EVERY_MS, 4, 1), tally);
      console.log(`${afterwards}: ${JSON.stringify(tally)}`);
      expect(tally.admitted).toBeGreaterThan(0);
    });

    longTest(
      title(`of many sessions at once, each millisecond to ${LAST_MS}, ${TIMES} times`),
      async () => {
        const tally = emptyTally();
        for (let time = 0; time < TIMES; time += 1) {
          // Halves: recovery at the start looks at fifty sessions.
          for (const half of [0, 1]) {
            await warm();
            await many(everyNth(EVERY_MS, 2, half), tally);
          }
        }
        console.log(`each millisecond, ${afterwards}: ${JSON.stringify(tally)}`);
        expect(tally.torn).toBeGreaterThan(0);
      },
      3_600_000,
    );

    longTest(
      title("of one session at a time, each third millisecond"),
      async () => {
        const tally = emptyTally();
        for (const delayMs of everyNth(EVERY_MS, 3, 0)) {
          await warm();
          await killAndCheck(bench(), [delayMs], { kind: "exact" }, afterwards, random, tally);
        }
        console.log(`one session each, ${afterwards}: ${JSON.stringify(tally)}`);
        expect(tally.kills).toBeGreaterThan(0);
      },
      3_600_000,
    );
  }
});
