import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { KEEP_PROPOSAL } from "../../src/history/kept.ts";
import { FOLD_NOW } from "../../src/history/policy.ts";
import { type HostMessage, isSent, isText, isTool } from "../../src/ledger/message.ts";
import { output, ran, read, SimulatedSession, said } from "./simulation.ts";

// Whole sessions, simulated.
setDefaultTimeout(600_000);

const chars = fc.constantFrom(400, 4_000, 16_000);
const file = fc.integer({ min: 0, max: 4 });
/** How far back, in results, what is kept or released lies. */
const back = fc.nat(40);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant("prompt" as const) }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant("read" as const), file, chars }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("run" as const), file, chars }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("close" as const) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("keep" as const), back }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("release" as const), back }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("fold" as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("idle" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const steps = fc.array(step, { minLength: 30, maxLength: 80, size: "max" });

class PlayedRun {
  readonly session = new SimulatedSession(168_000);
  readonly kept = new Set<string>();

  constructor() {
    this.session.prompt("Begin.");
  }

  play(one: Step, at: number): void {
    const { session } = this;
    switch (one.what) {
      case "prompt":
        session.prompt(`Wish ${at}.`);
        return;
      case "read":
        session.call(read(`f${one.file}`, output(`f${one.file}`, one.chars)));
        return;
      case "run":
        session.call(said(`I run ${at}.`), ran(`run ${one.file}`, output(`${at}`, one.chars)));
        return;
      case "close":
        session.call(said(`Done ${at}.`));
        session.prompt(`Next ${at}.`);
        return;
      case "keep":
      case "release":
        this.#hold(one.what === "keep" ? "kept" : "free", one.back);
        return;
      case "fold":
        this.#boundary({ id: 2, kind: FOLD_NOW, urgency: "command", output: { before: null } });
        return;
      case "idle":
        session.send({ kind: "idle", idleMs: 1e9 });
        return;
    }
  }

  #hold(hold: "kept" | "free", far: number): void {
    const ids = this.session.messages.flatMap(({ parts }) => parts.filter(isTool)).map((p) => p.id);
    const id = ids.at(-1 - far);
    if (id === undefined) return;
    if (hold === "kept") this.kept.add(id);
    else this.kept.delete(id);
    const output = { partIds: [id], hold };
    this.#boundary({ id: 1, kind: KEEP_PROPOSAL, urgency: "command", output });
  }

  #boundary(proposal: SimulatedSession["proposals"][number]): void {
    this.session.proposals = [proposal];
    this.session.send({ kind: "command" });
    this.session.proposals = [];
  }
}

/** How often a user's message follows another in what a provider gets. */
function doubles(messages: readonly HostMessage[]): number {
  const roles = messages.filter(isSent).map(({ info }) => info.role);
  return roles.filter((role, at) => role === "user" && roles[at - 1] === "user").length;
}

test("what is kept stands in each request as the host has it, whatever goes around it", () => {
  let [held, records] = [0, 0];
  fc.assert(
    fc.property(steps, (some) => {
      const played = new PlayedRun();
      const { session, kept } = played;
      for (const [at, one] of some.entries()) {
        played.play(one, at);
        session.send();
        const own = session.messages.flatMap(({ parts }) => parts);
        const sent = new Set(session.sent.flatMap(({ parts }) => parts));
        for (const part of own) if (kept.has(part.id)) expect(sent.has(part)).toBe(true);
        held += kept.size;
        // The user's words stand, once each, and no record parts them from their roles.
        const typed = own.filter((part) => isText(part) && /^(?:Begin|Wish|Next)/.test(part.text));
        expect(typed.every((part) => sent.has(part))).toBe(true);
        expect(doubles(session.sent)).toBeLessThanOrEqual(doubles(session.messages));
        const texts = session.sent.flatMap(({ parts }) => parts.filter(isText));
        records += texts.filter(({ text }) => text.startsWith("<session-history>")).length;
        // Each stands where a user speaks: after a result it would change who does.
        for (const { info, parts } of session.sent)
          if (info.role === "user")
            expect(session.messages.some((m) => m.info.id === info.id)).toBe(true);
          else
            expect(parts.some((part) => isText(part) && part.text.startsWith("<session-"))).toBe(
              false,
            );
      }
    }),
    { numRuns: 60 },
  );
  expect([held > 1_000, records > 1_000]).toEqual([true, true]);
});
