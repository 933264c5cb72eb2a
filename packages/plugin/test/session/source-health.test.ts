import { expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import { createUnavailableState, type ObservedContext } from "../../src/context/system-context.ts";
import { SourceHealthTracker } from "../../src/session/source-observation.ts";
import { otherSession, session } from "../storage/records.ts";

const weather = toSourceKey("team/weather");
const failing: ObservedContext = [
  { key: weather, required: false, state: createUnavailableState("no sky") },
];

function stage() {
  const told: string[] = [];
  let nowMs = 0;
  const health = new SourceHealthTracker({
    now: () => {
      nowMs += 1;
      return nowMs;
    },
    sourceFailed: (key, reason) => void told.push(`${key}: ${reason}`),
    sourceBack: (key) => void told.push(`${key} is back`),
  });
  return { health, told };
}

test("a source that fails is told once, however many sessions and boundaries see it", () => {
  const { health, told } = stage();
  health.recordObservation(session, failing);
  health.recordObservation(session, failing);
  health.recordObservation(otherSession, failing);
  expect(told).toEqual(["team/weather: no sky"]);
  expect(health.listFor(session)).toEqual([{ key: weather, reason: "no sky", sinceMs: 1 }]);
});

test("a source is back when no session sees it fail any more, and may fail again", () => {
  const { health, told } = stage();
  health.recordObservation(session, failing);
  health.recordObservation(otherSession, failing);
  health.recordObservation(session, []);
  expect(told).toEqual(["team/weather: no sky"]);
  health.forget(otherSession);
  health.recordObservation(session, []);
  health.recordObservation(session, failing);
  expect(told).toEqual(["team/weather: no sky", "team/weather is back", "team/weather: no sky"]);
});

test("M4: a source whose contributor was disposed of fails no more, in the session that has seen it go", () => {
  const { health } = stage();
  health.recordObservation(session, failing);
  health.recordObservation(otherSession, failing);
  health.recordObservation(session, []);
  expect(health.listFor(session)).toEqual([]);
  expect(health.listFor(otherSession)).toHaveLength(1);
});

test("a source of another session's is none of this one's", () => {
  const { health } = stage();
  health.recordObservation(session, failing);
  health.recordObservation(otherSession, []);
  expect(health.listFor(otherSession)).toEqual([]);
  health.forget(session);
  expect(health.listFor(session)).toEqual([]);
});
