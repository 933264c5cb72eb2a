import { expect, test } from "bun:test";
import { Unavailable } from "../../../../src/context/source.ts";
import { adaptSource } from "../../../../src/features/custom-sources/registered-source.ts";

const given = {
  key: "team/oncall",
  load: () => "Ada",
  baseline: (value: string) => `${value} is on call.`,
  update: (value: string) => `${value} is on call now.`,
};

function adaptDefinition(source: object) {
  const adapted = adaptSource(source);
  if (adapted.kind !== "source") throw new Error(adapted.reason);
  return adapted.definition;
}

test("G10: a source is required where it says so, by true alone", () => {
  expect(adaptDefinition({ ...given, required: true }).required).toBe(true);
  for (const required of [undefined, false, "true", 1]) {
    expect(adaptDefinition({ ...given, required })).not.toHaveProperty("required");
  }
});

test("a key is a text: what only reads like one is none", () => {
  const nameless = { kind: "nameless", reason: 'a source has no key like "team/oncall"' } as const;
  for (const key of [["team/oncall"], { toString: () => "team/oncall" }, 7, undefined]) {
    expect(adaptSource({ ...given, key })).toEqual(nameless);
  }
});

test("a load is given its own time where that is a number above 0, and all that it takes otherwise", async () => {
  const slow = (timeoutMs: unknown) => {
    const load = () => Bun.sleep(15).then(() => "Ada");
    return adaptDefinition({ ...given, load, timeoutMs }).load();
  };
  const never = () => Promise.withResolvers<string>().promise;
  const late = adaptDefinition({ ...given, load: never, timeoutMs: 5 }).load();
  expect(await late).toEqual(new Unavailable("no answer within 5 ms"));
  for (const none of [undefined, "5", 0, -1, Number.NaN]) expect(await slow(none)).toBe("Ada");
  expect(await slow(600_000)).toBe("Ada");
});

test("a value of a megabyte of JSON is taken, a byte more is not", async () => {
  const load = (bytes: number) =>
    adaptDefinition({ ...given, load: () => "x".repeat(bytes - 2) }).load();
  expect(await load(1_048_576)).toHaveLength(1_048_574);
  expect(await load(1_048_577)).toEqual(new Unavailable("the value is larger than 1048576 bytes"));
});

test("a rendering that gives no text fails by its name", () => {
  const definition = adaptDefinition({ ...given, baseline: () => 7, removed: () => null });
  expect(() => definition.baseline("Ada")).toThrow(new TypeError("baseline did not return a text"));
  expect(() => definition.removed?.("Ada")).toThrow(new TypeError("removed did not return a text"));
  expect(definition.update("Ada", "Grace")).toBe("Ada is on call now.");
});
