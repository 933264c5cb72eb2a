import { expect, test } from "bun:test";
import type { SyntheticCall } from "../../src/simulation/made-up.ts";
import { SimulatedSession } from "../../src/simulation/session.ts";
import { model } from "./recorded.ts";

function reading(result: number, chars: number): SyntheticCall {
  const input = { filePath: `/project/${result}.ts` };
  return { result, tool: "read", input, outcome: "done", text: "x".repeat(chars) };
}

/** A host alone that has read so many results of 20,000 characters, one a call. */
function filled(results: number): SimulatedSession {
  const session = new SimulatedSession(model, null);
  session.prompt("Read all of it.");
  for (let result = 0; result < results; result++) {
    session.send(0);
    session.answer({ said: "", calls: [reading(result, 20_000)] });
  }
  return session;
}

const listCallKinds = ({ calls }: SimulatedSession) => calls.map(({ kind }) => kind);

test("the host compacts after an answer whose report leaves no room, not for what its calls brought since", () => {
  const session = filled(9);
  session.answer({ said: "", calls: [reading(9, 8_000)] });
  session.send(0);
  // 10,000 in front and nine results of 5,000, of which the report knows eight.
  expect(listCallKinds(session)).not.toContain("compaction");
  expect(session.calls.at(-1)?.tokens).toBeGreaterThan(model.usableTokens);
  session.answer({ said: "Read.", calls: [] });
  session.prompt("Go on.");
  session.send(0);
  expect(listCallKinds(session).slice(-2)).toEqual(["compaction", "main"]);
});

test("the host compacts where the provider would refuse the call", () => {
  const session = filled(9);
  session.answer({ said: "", calls: [reading(9, 40_000)] });
  session.send(0);
  expect(listCallKinds(session).slice(-2)).toEqual(["compaction", "main"]);
  expect(session.refused).toBe(0);
});
