import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Effect, InboxEvent, Next } from "../../../src/rooms/inbox/happenings.ts";
import { inboxDatabase } from "../../../src/rooms/inbox/inbox-deps.ts";
import { reduce } from "../../../src/rooms/inbox/reduce.ts";
import { settledBy } from "../../../src/rooms/inbox/standing.ts";
import { mayStillCome, type State, sessionOf } from "../../../src/rooms/inbox/state.ts";
import type { RuntimeDatabase } from "../../../src/storage/store.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { comeToRest, deed, expectNothingLost, perform, restart, start } from "./deeds.ts";

const workspace = new Workspace();
const RUNS = process.env.LONG === "1" ? 600 : 40;
const SEED = Number(process.env.SEED ?? 20_261_123);

const kindsOf = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);
const isStep = (kind: Effect["kind"]) => kind === "hand" || kind === "send" || kind === "replace";

/** What the invariants above `reduce` say of one process, checked at each event. */
class Witness {
  readonly #asked = new Set<number>();
  readonly #whole = new Set<string>();
  #shown: string | null = null;
  #looking = false;
  readonly violations: unknown[] = [];
  /** Effects that are still run; then the process is gone. */
  #left: number;

  constructor(
    private readonly database: RuntimeDatabase,
    crashAfter: number,
    private readonly crash: () => void,
  ) {
    this.#left = crashAfter;
  }

  get isGone(): boolean {
    return this.#left <= 0;
  }

  get unanswered(): number {
    return this.#asked.size;
  }

  readonly step: typeof reduce = (before, event) => {
    if (this.isGone) return { state: before, effects: [] };
    const copy = structuredClone(before);
    const next = reduce(before, event);
    try {
      expect(before).toEqual(copy);
      this.#check(before, event, next);
    } catch (error) {
      // The driver reports it like any failure, and goes on.
      this.violations.push(error);
    }
    const effects = next.effects.slice(0, Math.max(0, this.#left));
    this.#left -= effects.length;
    if (this.isGone) this.crash();
    return { state: next.state, effects };
  };

  #check(before: State, event: InboxEvent, next: Next): void {
    this.#rowsFirst(next);
    this.#oneLook(event, next);
    this.#tickets(event, next);
    this.#oneStep(before, event, next);
    this.#holds(event, next);
    this.#promotions(event, next);
    this.#leases(next);
  }

  /** 1 */
  #rowsFirst({ effects }: Next): void {
    const { inbox } = inboxDatabase(this.database);
    const replaced = new Set<string>();
    for (const effect of effects) {
      if (effect.kind === "replace") replaced.add(effect.messageId);
      if (effect.kind === "send" || effect.kind === "hand") {
        const { id } = effect.input;
        expect(replaced.has(id) || inbox.prompt(id) !== null).toBe(true);
      }
      if (effect.kind === "check sources") {
        expect(inbox.find(effect.prompt.message.id)).not.toBeNull();
      }
    }
  }

  /** 2 */
  #oneLook(event: InboxEvent, { state, effects }: Next): void {
    if (event.kind === "look ended") this.#looking = false;
    for (const effect of effects) {
      if (effect.kind !== "look") continue;
      expect(this.#looking).toBe(false);
      this.#looking = true;
    }
    expect(sessionOf(state, session).look !== null).toBe(this.#looking);
  }

  /** 3 */
  #tickets(event: InboxEvent, { effects }: Next): void {
    if (event.kind === "asked" || event.kind === "interrupted") this.#asked.add(event.ticket);
    const answered = effects.flatMap((effect) => (effect.kind === "answer" ? effect.tickets : []));
    for (const ticket of answered) expect(this.#asked.delete(ticket)).toBe(true);
  }

  /** 4, 5, 6, 7 */
  #oneStep(before: State, event: InboxEvent, { effects }: Next): void {
    if (effects.some(({ kind }) => kind === "hand")) expect(event.kind).toBe("looked");
    if (event.kind !== "looked") return;
    const steps = kindsOf(effects).filter(isStep);
    expect(["", "hand", "send", "replace,send"]).toContain([...new Set(steps)].join());
    const sent = effects.flatMap((effect) => (effect.kind === "send" ? effect.input.id : []));
    expect(new Set(sent).size).toBe(sent.length);
    if (steps.length === 0) return;
    const working = event.facts.kind === "found" ? event.facts.working : [];
    for (const { input, standing } of working) {
      if (standing !== "unsaved" && standing !== "torn") continue;
      expect(mayStillCome(before, String(input.messageId), "unsaved", event.atMs)).toBe(false);
    }
    const { look, activity, lease } = sessionOf(before, session);
    expect({ leave: look?.leave, lease }).toEqual({ leave: "given", lease: "held" });
    if (look?.ask !== null || steps[0] !== "hand") {
      expect(look?.ask?.cause).toBe("resume");
      return;
    }
    expect(activity).toBe("idle");
    expect(working.filter(({ standing }) => settledBy(standing) === null)).toEqual([]);
  }

  /** 7 */
  #holds(event: InboxEvent, { effects }: Next): void {
    if (event.kind === "admission" || event.kind === "arrives") this.#shown = null;
    for (const effect of effects) {
      if (effect.kind !== "show") continue;
      expect(effect.text).not.toBe(String(this.#shown));
      this.#shown = effect.text;
    }
  }

  /** 8, 9 */
  #promotions(event: InboxEvent, { effects }: Next): void {
    if (event.kind === "boundary") for (const id of event.whole) this.#whole.add(id);
    for (const effect of effects) {
      if (effect.kind === "promote") {
        for (const id of effect.messageIds) expect(this.#whole.has(id)).toBe(true);
      }
      if (effect.kind === "settle" && effect.state === "answered")
        expect(event.kind).toBe("looked");
    }
  }

  /** 11 */
  #leases({ state }: Next): void {
    if (sessionOf(state, session).lease === "held") expect(state.renewal).toBe("due");
  }
}

test(`I16: whatever happens in whatever order, and after whichever effect the process is gone, the invariants hold at each event and each prompt comes once (SEED=${SEED}, ${RUNS} runs)`, async () => {
  const answers = fc.array(fc.constantFrom("stop" as const, "hang" as const, "fail" as const), {
    maxLength: 6,
  });
  const crashes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { maxLength: 14 }),
      answers,
      crashes,
      async (deeds, planned, crashesAfter) => {
        const pending = [...crashesAfter];
        const witnesses: Witness[] = [];
        const step = (database: RuntimeDatabase) => {
          const crashAfter = pending.shift() ?? Number.POSITIVE_INFINITY;
          const witness = new Witness(database, crashAfter, () => world.host.kill());
          witnesses.push(witness);
          return witness.step;
        };
        const world = start(workspace, { step });
        const isGone = () => witnesses.at(-1)?.isGone ?? false;
        world.host.answers = [...planned];
        for (const [index, one] of deeds.entries()) {
          // A process that is gone answers nobody: whoever waits for it goes with it.
          const work = perform(world, one, index);
          if (one.kind !== "wake") await endOrGone(work, isGone);
          if (isGone()) restart(world);
        }
        do {
          if (isGone()) restart(world);
          await endOrGone(comeToRest(world), isGone);
        } while (isGone());
        for (const { violations } of witnesses) if (violations.length > 0) throw violations[0];
        expectNothingLost(world);
        expect(witnesses.at(-1)?.unanswered).toBe(0);
        world.stage.close();
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
}, 600_000);

const MOST_TURNS = 200_000;

/** Until the work has ended, or the process is gone with it. */
async function endOrGone(work: Promise<void>, isGone: () => boolean): Promise<void> {
  let stands: "open" | "over" = "open";
  const end = work
    .catch((error) => {
      if (!isGone()) throw error;
    })
    .finally(() => {
      stands = "over";
    });
  for (let turn = 0; stands === "open" && !isGone(); turn += 1) {
    if (turn > MOST_TURNS) throw new Error("Somebody was never answered.");
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!isGone()) await end;
}
