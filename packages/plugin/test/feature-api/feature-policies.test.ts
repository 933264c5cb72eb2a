import { describe, expect, test } from "bun:test";
import {
  collectPolicies,
  collectWitnesses,
  type OpenFeature,
} from "../../src/feature-api/open-features.ts";
import { createHistoryDraft } from "../../src/ledger/entry.ts";
import type { BoundaryView, Policy, Proposal } from "../../src/ledger/policy.ts";

const omitted = (partId: string) =>
  createHistoryDraft({ verb: "omit", at: { messageId: "msg_1", partId } });

const broken = (): never => {
  throw new TypeError("of a policy");
};

function policy(name: string, draft: Policy["draft"]): Policy {
  return { name, scope: "session", draft };
}

function collectFeatureDrafts(
  featureInstances: readonly OpenFeature[],
  proposals: readonly Proposal[],
) {
  const failures: unknown[] = [];
  const failed = (where: string, error: unknown) => void failures.push([where, error]);
  const view = { proposals } as Partial<BoundaryView> as BoundaryView;
  const drafts = collectPolicies(featureInstances, {
    failed,
    worked: () => undefined,
    storageWorks: () => undefined,
  }).flatMap(({ name, draft }) =>
    draft(view).map(({ edit, proposal }) => ({ name, edit, proposal })),
  );
  return { drafts, failures };
}

const proposal = (id: number, kind: string): Proposal => ({
  id,
  kind,
  urgency: "waits",
  output: 0,
});

test("I15: what a feature fails to recognise is reported under its name, and costs no other feature", () => {
  const seen = createHistoryDraft({ verb: "omit", at: { messageId: "msg_1", partId: "prt_1" } });
  const failures: unknown[] = [];
  const failed = (where: string, error: unknown) => void failures.push([where, error]);
  const featureInstances: OpenFeature[] = [
    { feature: "broken", witness: broken },
    { feature: "none" },
    { feature: "fine", witness: () => [seen] },
  ];
  const sighting = { messages: [], snapshot: {}, standing: [] };
  expect(
    collectWitnesses(featureInstances, {
      failed,
      worked: () => undefined,
      storageWorks: () => undefined,
    }).flatMap((witness) => witness(sighting)),
  ).toEqual([seen]);
  expect(failures).toEqual([["broken.witness", new TypeError("of a policy")]]);
});

describe("what features draft", () => {
  test("comes in the order of the features, and then what was proposed", () => {
    const { drafts, failures } = collectFeatureDrafts(
      [
        { feature: "one", policies: [policy("a", () => [omitted("prt_a")])] },
        {
          feature: "two",
          policies: [policy("b", () => [omitted("prt_b")])],
          proposals: new Map([["said", () => [omitted("prt_c")]]]),
        },
      ],
      [proposal(7, "said"), proposal(8, "unknown")],
    );
    expect(drafts).toEqual([
      { name: "a", edit: omitted("prt_a").edit, proposal: null },
      { name: "b", edit: omitted("prt_b").edit, proposal: null },
      { name: "take-proposals", edit: omitted("prt_c").edit, proposal: 7 },
    ]);
    expect(failures).toEqual([]);
  });

  test("I15: a policy or a proposal that throws drafts nothing, is reported, and costs no other", () => {
    const { drafts, failures } = collectFeatureDrafts(
      [
        {
          feature: "broken",
          policies: [policy("a", broken)],
          proposals: new Map([["said", broken]]),
        },
        { feature: "sound", policies: [policy("b", () => [omitted("prt_b")])] },
      ],
      [proposal(7, "said")],
    );
    expect(drafts.map(({ name }) => name)).toEqual(["b"]);
    expect(failures).toEqual([
      ["broken.draft", new TypeError("of a policy")],
      ["broken.propose", new TypeError("of a policy")],
    ]);
  });
});
