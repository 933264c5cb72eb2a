import { expect, test } from "bun:test";
import { draftReduce } from "../../../src/features/history/reduce.ts";
import { answers, called } from "../../history/calls.ts";
import { SimulatedSession, settings } from "../../history/simulation.ts";
import { replace } from "../../ledger/history.ts";

const messages = answers(called("bash", { command: "one" }), called("bash", { command: "two" }));
const view = { ...new SimulatedSession(null).view(), messages };
const propose = draftReduce(settings);

test("what the model lets go goes for a stub that says so", () => {
  const [draft, ...others] = propose({ partIds: ["m1.0"] }, view);
  expect(others).toEqual([]);
  expect(draft?.edit).toEqual({
    verb: "replace",
    at: { messageId: "m1", partId: "m1.0" },
    text: expect.stringMatching(
      /^\[bash two: 6 characters, let go\. ctx_expand r:\w{6} shows it\]$/,
    ),
  });
});

test("what is gone, told something or was never there is passed over", () => {
  const gone = { seq: 1, origin: "history", edit: replace("m0.0", "[gone]") };
  const standing = [{ ...gone, messageId: "m0", partId: "m0.0", announced: [], delta: {} }];
  const partIds = ["m0.0", "m1.0", "m9.0"];
  expect(propose({ partIds }, { ...view, standing, claims: new Set(["m1.0"]) })).toEqual([]);
  expect(propose("of another version", view)).toEqual([]);
});

test("where the call lacks the look-ups, the stub names none", () => {
  const [draft] = propose({ partIds: ["m1.0"] }, { ...view, withheld: new Set(["ctx_expand"]) });
  expect(JSON.stringify(draft?.edit)).toMatch(/let go \(r:\w{6}\)\]/);
});
