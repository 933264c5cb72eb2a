import { describe, expect, test } from "bun:test";
import { reconcile } from "../../../../src/context/operations.ts";
import { emptySnapshot } from "../../../../src/context/snapshot.ts";
import {
  combine,
  createSystemContext,
  type ObservedContext,
  observe,
} from "../../../../src/context/system-context.ts";
import { adaptSource } from "../../../../src/features/custom-sources/registered-source.ts";
import { renderAvailable } from "../../../../src/session/source-observation.ts";
import { fact } from "./session.ts";

async function seen(...sources: readonly object[]): Promise<ObservedContext> {
  const contexts = sources.map((source) => {
    const adapted = adaptSource(source);
    if (adapted.kind !== "source") throw new Error("not a source");
    return createSystemContext(adapted.definition);
  });
  return observe(combine(contexts));
}

const reasons = (observed: ObservedContext) =>
  observed.flatMap(({ key, state }) =>
    state.kind === "unavailable" ? [`${key}: ${state.reason}`] : [],
  );

describe("A10 in a session: a source whose rendering fails costs only itself", () => {
  const defects: readonly (readonly [string, object, string])[] = [
    ["an empty Baseline text", { baseline: () => " " }, "returned an empty baseline text."],
    [
      "one that throws",
      {
        baseline: () => {
          throw new Error("secret");
        },
      },
      "failed to render its baseline text.",
    ],
    ["one that is no text", { baseline: () => 42 }, "failed to render its baseline text."],
    ["an empty removal text", { removed: () => "" }, "returned an empty removal text."],
  ];

  test.each(defects)("%s", async (_name, defect, reason) => {
    const bad = { ...fact("bad/one", () => "1"), ...defect };
    const observed = await seen(
      bad,
      fact("team/good", () => "fine"),
    );
    const told = renderAvailable(observed, (now) => reconcile(now, emptySnapshot));
    expect(told.outcome).toMatchObject({
      kind: "updated",
      parts: [{ key: "team/good", text: "team/good: fine" }],
    });
    expect(reasons(told.observed)).toEqual([`bad/one: Context Source bad/one ${reason}`]);
  });

  test("what was told of it stands", async () => {
    const first = reconcile(await seen(fact("bad/one", () => "1")), emptySnapshot);
    if (first.kind !== "updated") throw new Error("expected an update");
    const observed = await seen({ ...fact("bad/one", () => "2"), update: () => "" });
    const told = renderAvailable(observed, (now) => reconcile(now, first.snapshot));
    expect(told.outcome).toEqual({ kind: "unchanged" });
  });

  test("any other error goes on", async () => {
    const failing = () => {
      throw new TypeError("ours");
    };
    expect(() => renderAvailable([], failing)).toThrow("ours");
  });
});
