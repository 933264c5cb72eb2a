import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { missingPi } from "../../src/pi/pi.ts";
import {
  buildExtension,
  PI_SCENARIO_NAMES,
  type PiScenario,
  playPi,
} from "../../src/pi/scenario.ts";
import { rowTest } from "../long.ts";

// What sessions of Pi cost with the extension, against the least that they could.

setDefaultTimeout(600_000);

/** What changes between calls, as the model has to hear it by the end. */
const HEARD: Readonly<Record<PiScenario, string>> = {
  steady: "in short sentences",
  edits: "in wild sentences",
  "restarts with edits": "in wild sentences",
  "kills with edits": "in wild sentences",
  "a new skill": "How a release is made",
  "a fork after an edit": "in long sentences",
  "a move in the tree": "in long sentences",
};

describe.skipIf(missingPi !== null)(missingPi ?? "Pi's bill", () => {
  let extension: string;

  beforeAll(() => {
    extension = buildExtension();
  });

  test("stock Pi: restarts after edits cost half as much again and more, and edits within a session stay unknown", async () => {
    const restarts = await playPi("restarts with edits", "plain", []);
    expect(restarts.ratio).toBeGreaterThan(1.4);
    const edits = await playPi("edits", "plain", []);
    expect(JSON.stringify(edits.calls.at(-1)?.body)).not.toContain(HEARD.edits);
  });

  for (const model of ["plain", "capable"] as const) {
    for (const scenario of PI_SCENARIO_NAMES) {
      // The other kind of model takes the same way through the extension.
      const isShort = model === "plain" || scenario === "restarts with edits";
      const title = `Pi, ${scenario}, ${model} model: at most 1.005 of the ideal bill, and the model hears of all`;
      rowTest(isShort ? "each-run" : "long-runs", title, async () => {
        const { ratio, calls, failures } = await playPi(scenario, model, [extension]);
        expect(failures).toEqual([]);
        expect(ratio).toBeLessThanOrEqual(1.005);
        expect(JSON.stringify(calls.at(-1)?.body)).toContain(HEARD[scenario]);
      });
    }
  }
});
