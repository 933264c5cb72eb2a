import { describe, expect, test } from "bun:test";
import { eventually } from "../../plugin/test/eventually.ts";
import {
  count,
  emptyTally,
  goOnAndCheck,
  killAndCheck,
  setRecovery,
  type Tally,
  tear,
} from "./inbox-kills.ts";
import { killAfter, type Moment, type Recovery, seededRandom } from "./inbox-shots.ts";
import { inputs, useInboxHost } from "./inbox-stage.ts";
import { longTest } from "./long.ts";

const SEED = Number(process.env.SEED ?? 20_261_123);
const LAST_MS = 60;
const EVERY_MS = Array.from({ length: LAST_MS + 1 }, (_, ms) => ms);
const TIMES = Number(process.env.TIMES ?? 10);
/** Kills of one session each, each at a random moment after its prompt was seen. */
const SINGLES = Number(process.env.SINGLES ?? 12);
/** From a prompt's admission to its last part, and from its row in the host's database. */
const WINDOW_MS = { us: 12, host: 3 } as const;

const bench = useInboxHost();

const WAYS: readonly { readonly recovery: Recovery; readonly title: string }[] = [
  { recovery: "off", title: "with the next prompt typed, or with /ctx-resume" },
  { recovery: "auto", title: 'with recovery: "auto"' },
];

const everyNth = (list: readonly number[], step: number, from: number) =>
  list.filter((_, index) => index % step === from);

/** A host whose plugin is up, with this setting from its next start on. */
async function warm(recovery: Recovery): Promise<void> {
  const place = bench();
  // A test that failed may have left none running.
  const { id } = await place.host.client.createSession().catch(async () => {
    await place.host.start({});
    return place.host.client.createSession();
  });
  await place.host.client.prompt(id, "Before all");
  setRecovery(place, recovery);
}

describe("I16: a prompt of which the host saved the row and not all parts", () => {
  for (const { recovery, title } of WAYS) {
    test(`${title}: is neither lost nor doubled`, async () => {
      const place = bench();
      await warm(recovery);
      // Of three, one has a file, and so several parts.
      const delaysMs = recovery === "auto" ? [0, 0, 0] : [0, 0, 0, 0, 0, 0];
      const volley = { delaysMs, moment: { kind: "saved" }, recovery } as const;
      const fired = await killAfter(place, volley, seededRandom(SEED));
      const tally = emptyTally();
      for (const { messageId, withFile } of fired) tear(place, messageId, withFile ? 1 : 0);
      for (const shot of fired) expect(count(place, shot, tally)).toBe("admitted");
      expect(tally.torn).toBe(fired.length);
      await goOnAndCheck(place, fired);
    });
  }
});

longTest(
  "G7: of sixty prompts that come at once, none is taken for one without a reply before its turn",
  async () => {
    const place = bench();
    await warm("off");
    for (let round = 1; round <= 2; round += 1) {
      const { client } = place.host;
      const ids: string[] = [];
      for (let index = 0; index < 60; index += 1) ids.push((await client.createSession()).id);
      await Promise.all(ids.map((id) => client.promptAsync(id, "Hello")));
      const recorded = new Set<string>();
      const open = () => {
        const rows = inputs(place).filter(({ session_id }) => ids.includes(session_id));
        for (const { id, state } of rows) if (state === "recorded") recorded.add(id);
        return ids.length - rows.filter(({ state }) => state === "answered").length;
      };
      await eventually("every one of them is answered", () => open() === 0, 120_000);
      expect([...recorded]).toEqual([]);
    }
  },
  300_000,
);

describe(`I16: kill -9 by the millisecond after a prompt (seed ${SEED})`, () => {
  for (const { recovery, title: way } of WAYS) {
    const random = seededRandom(SEED);
    const title = (what: string) => `${what}, ${way}: none lost, none twice`;
    const kill = async (delaysMs: readonly number[], moment: Moment, tally: Tally) => {
      await killAndCheck(bench(), { delaysMs, moment, recovery }, random, tally);
    };
    const kinds = recovery === "auto" ? 1 : 2;

    test(title("of many sessions at once"), async () => {
      await warm(recovery);
      const tally = emptyTally();
      const delaysMs = everyNth(EVERY_MS, 8 / kinds, 1);
      await kill(delaysMs, { kind: "admitted", share: random() }, tally);
      console.log(`${recovery}: ${JSON.stringify(tally)}`);
      expect(tally.admitted).toBeGreaterThan(0);
    });

    longTest(
      title(`of many sessions at once, each millisecond to ${LAST_MS}, ${TIMES} times each`),
      async () => {
        await warm(recovery);
        const tally = emptyTally();
        for (let time = 0; time < TIMES * kinds; time += 1) {
          // Halves: recovery at the start looks at fifty sessions.
          const volleys =
            recovery === "auto" ? [0, 1].map((half) => everyNth(EVERY_MS, 2, half)) : [EVERY_MS];
          for (const delaysMs of volleys) {
            await kill(delaysMs, { kind: "admitted", share: random() }, tally);
          }
        }
        console.log(`each millisecond, ${recovery}: ${JSON.stringify(tally)}`);
        expect(tally.torn).toBeGreaterThan(0);
      },
      3_600_000,
    );

    longTest(
      title("of one session at a time, between its prompt's admission and its last part"),
      async () => {
        await warm(recovery);
        const tally = emptyTally();
        for (let single = 0; single < SINGLES * kinds; single += 1) {
          const by = single % 4 < 2 ? "us" : "host";
          const moment = { kind: "seen", by, afterMs: random() * WINDOW_MS[by] } as const;
          await kill([0], moment, tally);
        }
        console.log(`one session each, ${recovery}: ${JSON.stringify(tally)}`);
        expect(tally.admitted).toBe(tally.kills);
        expect(tally.absent + tally.torn).toBeGreaterThan(0);
      },
      3_600_000,
    );
  }
});
