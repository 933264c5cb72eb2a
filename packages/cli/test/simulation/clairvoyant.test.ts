import { expect, test } from "bun:test";
import { clairvoyantBill } from "../../src/simulation/clairvoyant.ts";
import { model, read, recorded, step } from "./recorded.ts";

const front = 0.1 * model.frontTokens;

/** The prompt of 100 characters, the front, and a call of 60 with a result of 4,000, all written once. */
const WRITTEN = 1.25 * (model.frontTokens + 25 + 15 + 1_000);

test("reads the front once per call and writes each token once", () => {
  const one = recorded(step(0, { chars: 0, calls: [read(0, 4_000)] }), step(1, { chars: 0 }));
  expect(clairvoyantBill(one, model)).toBeCloseTo(2 * front + WRITTEN);
});

test("carries a result from use to use where that is cheaper than asking again", () => {
  const steps = [step(1, { chars: 0 }), step(2, { chars: 0 }), step(3, { chars: 0, needs: [0] })];
  const one = recorded(step(0, { chars: 0, calls: [read(0, 4_000)] }), ...steps);
  expect(clairvoyantBill(one, model)).toBeCloseTo(4 * front + WRITTEN + 0.1 * 1_000 * 3);
});

test("carries it from the step that asked for it on, and writes what each step says", () => {
  const one = recorded(
    step(0, { chars: 40 }),
    step(1, { chars: 80, calls: [read(0, 4_000)] }),
    step(2, { chars: 0, needs: [0] }),
  );
  const said = 1.25 * ((40 + 80) / 4);
  expect(clairvoyantBill(one, model)).toBeCloseTo(3 * front + WRITTEN + said + 0.1 * 1_000);
});

test("asks again, by one more call on the front, where carrying costs more", () => {
  const idle = Array.from({ length: 39 }, (_, at) => step(at, { chars: 0 }));
  const one = recorded(
    step(0, { chars: 0, calls: [read(0, 4_000)] }),
    ...idle,
    step(50, { chars: 0, needs: [0] }),
  );
  expect(clairvoyantBill(one, model)).toBeCloseTo(41 * front + WRITTEN + 1.25 * 1_000 + front);
});

test("counts two uses in one step once, and a use that nothing brought not at all", () => {
  const used = recorded(
    step(0, { chars: 0, calls: [read(0, 4_000)] }),
    step(1, { chars: 0, needs: [0, 0, 7] }),
  );
  expect(clairvoyantBill(used, model)).toBeCloseTo(2 * front + WRITTEN + 100);
});
