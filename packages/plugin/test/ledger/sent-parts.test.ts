import { expect, test } from "bun:test";
import { collectShownPartIds } from "../../src/ledger/revise.ts";
import { assistant, done, pruned, text, user } from "./history.ts";

test("a part is shown that was sent as the host has it: not one that was replaced, pruned or left out", () => {
  const kept = user("u1", text("x"));
  const host = [
    kept,
    assistant("a1", done("c1", "ok"), pruned("c2", "old")),
    user("u2", text("y")),
  ];
  const blanked = host[1];
  if (!blanked) throw new Error("the host has three messages");
  const [result, gone] = blanked.parts;
  if (!result || !gone) throw new Error("the answer has two results");
  const sent = [kept, { ...blanked, parts: [{ ...result }, gone] }];
  expect(collectShownPartIds({ host, sent })).toEqual(new Set(kept.parts.map(({ id }) => id)));
  expect(collectShownPartIds({ host, sent: host }).has(result.id)).toBe(true);
});

test("of a session that was not sent yet nothing is shown", () => {
  expect(collectShownPartIds(undefined).size).toBe(0);
});
