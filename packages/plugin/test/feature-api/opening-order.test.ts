// Features give to each other: what doesn't fit together is an error of the start, and the rest an order.
import { describe, expect, test } from "bun:test";
import {
  createCollectionPoint,
  createExtensionPoint,
  type Points,
} from "../../src/feature-api/extension-point.ts";
import * as extensionPoints from "../../src/feature-api/extension-points.ts";
import { defineFeature, type Feature } from "../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../src/feature-api/feature-context.ts";
import { ExtensionRegistry, openFeatures } from "../../src/feature-api/open-features.ts";
import {
  checkFeatures,
  computeOpeningOrder,
  selectEnabledFeatures,
} from "../../src/feature-api/opening-order.ts";
import { UserFacingError } from "../../src/feature-api/user-facing-error.ts";
import { loadFeatures } from "../../src/features/list.ts";
import { parseConfig } from "../whole-config.ts";

const WATER = createExtensionPoint<string>("water");
const BREAD = createExtensionPoint<string>("bread");
const HERBS = createCollectionPoint<string>("a herb");

interface Wiring {
  readonly provides?: Points;
  readonly needs?: Points;
  readonly uses?: Points;
}

const named = (name: string, wiring: Wiring): Feature => ({
  name,
  ...wiring,
  open: async () => ({}),
});
const names = (features: readonly Feature[]) => features.map(({ name }) => name);

describe("the list of features", () => {
  test("is refused where nobody provides what a feature needs; what it uses may be missing", () => {
    expect(() => checkFeatures([named("mill", { needs: { water: WATER } })])).toThrow(
      new UserFacingError("The feature mill needs water, which no feature provides."),
    );
    checkFeatures([named("mill", { uses: { water: WATER, herbs: HERBS } })]);
  });

  test("is refused where two features provide what one may; of a collection each may add to it", () => {
    const well = (name: string) => named(name, { provides: { water: WATER, herb: HERBS } });
    expect(() => checkFeatures([well("well"), well("spring")])).toThrow(
      new UserFacingError("The features well and spring both provide water, which only one may."),
    );
    const field = (name: string) => named(name, { provides: { herb: HERBS } });
    checkFeatures([field("field"), field("garden")]);
  });

  test("is refused where features would have to be opened before each other, which are named", () => {
    const wiring = [
      named("baker", { provides: { bread: BREAD }, needs: { water: WATER } }),
      named("carrier", { provides: { water: WATER }, uses: { bread: BREAD } }),
    ];
    expect(() => checkFeatures(wiring)).toThrow(
      new UserFacingError("Features can't be opened before each other: baker -> carrier -> baker."),
    );
    const own = named("own", { provides: { herb: HERBS }, uses: { herbs: HERBS } });
    expect(() => checkFeatures([own])).toThrow("own -> own");
  });

  test("as it is fits together, and each feature is opened after those that it is given something of", async () => {
    const listed = await loadFeatures({});
    checkFeatures(listed);
    const order = names(computeOpeningOrder(listed));
    expect(order.toSorted()).toEqual(names(listed).toSorted());
    for (const { name, needs, uses } of listed) {
      const wanted = new Set(Object.values({ ...needs, ...uses }));
      const providers = listed.filter(({ provides = {} }) =>
        Object.values(provides).some((point) => wanted.has(point)),
      );
      for (const provider of names(providers)) {
        expect(order.indexOf(provider)).toBeLessThan(order.indexOf(name));
      }
    }
  });
});

test("no two keys have one name, by which copies of them are known", () => {
  const points = Object.values(extensionPoints);
  expect(points.length).toBeGreaterThan(10);
  const all = points.map(({ name }) => name);
  expect(new Set(all).size).toBe(all.length);
  const copy = createExtensionPoint<string>("water");
  const well = { feature: "well", points: { water: copy }, provides: { water: "cold" } };
  expect(new ExtensionRegistry([well]).getOne(WATER)).toBe("cold");
  checkFeatures([
    named("well", { provides: { water: copy } }),
    named("mill", { needs: { water: WATER } }),
  ]);
});

describe("a feature whose needs are off", () => {
  test("is off as well, and what needs it in turn", () => {
    const listed = [
      named("baker", { provides: { bread: BREAD }, needs: { water: WATER } }),
      named("inn", { needs: { bread: BREAD } }),
      named("garden", { uses: { water: WATER } }),
      { ...named("well", { provides: { water: WATER } }), isOn: () => false },
    ];
    expect(names(selectEnabledFeatures(listed, parseConfig({}), new Set()))).toEqual(["garden"]);
    const on = listed.map((feature) => ({ ...feature, isOn: () => true }));
    expect(names(selectEnabledFeatures(on, parseConfig({}), new Set()))).toEqual(names(on));
    expect(names(selectEnabledFeatures(on, parseConfig({}), new Set(["well"])))).toEqual([
      "garden",
    ]);
  });

  test("as without recall all that looks something up in its index", async () => {
    const listed = await loadFeatures({});
    const every = {
      augment: { enabled: true },
      commits: { enabled: true },
      keyFiles: { enabled: true },
      searchHints: { enabled: true },
      vectors: { url: "http://127.0.0.1:1/v1/embeddings", model: "m" },
    };
    const onWith = (enabled: boolean) =>
      names(
        selectEnabledFeatures(listed, parseConfig({ ...every, recall: { enabled } }), new Set()),
      );
    const without = new Set(onWith(false));
    expect(onWith(true).filter((name) => !without.has(name))).toEqual([
      "search-index",
      "recall",
      "commits",
      "let-go",
      "vectors",
      "key-files",
      "search-hints",
      "augment",
    ]);
  });
});

describe("an opened feature", () => {
  const reported: string[] = [];
  const failed = (where: string, error: unknown) => void reported.push(`${where}: ${error}`);
  const context = { failures: { failed } } as Partial<FeatureContext> as FeatureContext;
  const seen: unknown[] = [];
  const inn = defineFeature({
    name: "inn",
    needs: { water: WATER },
    uses: { bread: BREAD, herbs: HERBS },
    open: async (_, { water, bread, herbs }) => {
      seen.push([water, bread, herbs]);
      return {};
    },
  });
  const herb = (name: string, value: string | null) =>
    defineFeature({
      name,
      provides: { herb: HERBS },
      open: async () => ({ provides: { herb: value } }),
    });
  const well = defineFeature({
    name: "well",
    provides: { water: WATER },
    open: async () => {
      await Bun.sleep(1);
      return { provides: { water: "cold" } };
    },
  });

  test("is given what others provide, in the order of the list, wherever it stands itself; null where nobody does", async () => {
    seen.length = 0;
    const features = await openFeatures(
      [inn, herb("b", "sage"), well, herb("a", null), herb("c", "mint")],
      context,
    );
    expect(seen).toEqual([["cold", null, ["sage", "mint"]]]);
    expect(features.map(({ feature }) => feature)).toEqual(["inn", "b", "well", "a", "c"]);
  });

  test("I15: where what it needs could not be opened it stays shut, both are reported, and no other one is", async () => {
    seen.length = 0;
    const broken = { ...well, open: () => Promise.reject(new Error("dry")) };
    const features = await openFeatures([inn, broken, herb("a", "sage")], context);
    expect(features.map(({ feature }) => feature)).toEqual(["a"]);
    expect(seen).toEqual([]);
    expect(reported).toEqual([
      "feature well: Error: dry",
      "feature inn: UserFacingError: inn needs water, which is not available.",
    ]);
  });
});
