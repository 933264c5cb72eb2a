import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { renderConfigJsonSchema } from "../../src/config/whole-schema.ts";
import { settingsSchema } from "../whole-config.ts";

interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

function* nodes(
  node: SchemaNode,
  prefix: string,
): Generator<{ readonly key: string; readonly node: SchemaNode }> {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    yield { key: `${prefix}${name}`, node: child };
    yield* nodes(child, `${prefix}${name}.`);
  }
}

describe("config.schema.json", () => {
  test("is what the schema generates", async () => {
    const committed = await readFile(new URL("../../config.schema.json", import.meta.url), "utf8");
    const isUpToDate = committed === renderConfigJsonSchema(settingsSchema);
    expect(isUpToDate ? "up to date" : "out of date: run `npm run generate`").toBe("up to date");
  });

  test("documents every key and gives every key a default", () => {
    const all = [...nodes(JSON.parse(renderConfigJsonSchema(settingsSchema)), "")];
    expect(all.length).toBeGreaterThan(15);
    for (const { key, node } of all) {
      expect(node.description, key).toBeString();
      if (key !== "$schema") expect(node.default, key).not.toBeUndefined();
    }
  });
});
