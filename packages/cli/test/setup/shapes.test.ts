import { describe, expect, test } from "bun:test";
import { parse } from "jsonc-parser";
import { parseDocument } from "../../src/config-file/document.ts";
import {
  addPlugin,
  HOST_SCHEMA,
  movedToFront,
  PLUGIN_LIST,
  readPlugins,
  removeEntry,
} from "../../src/config-file/plugin-list.ts";
import { applyEdit, inverse } from "../../src/config-file/text-edit.ts";
import { listEdit } from "../../src/setup/plan.ts";
import { OPENCODE_LISTING } from "../../src/setup/plugin-identity.ts";
import { SHAPES, SPEC } from "./shapes.ts";

function parseValidDocument(text: string) {
  const parsed = parseDocument(text);
  if (parsed.kind === "invalid") throw new Error(`${parsed.reason}: ${text}`);
  return parsed.document;
}

function added(text: string) {
  const result = addPlugin(parseValidDocument(text), {
    spec: SPEC,
    schema: HOST_SCHEMA,
    form: PLUGIN_LIST,
  });
  if (result.kind !== "edit") throw new Error(`${result.kind}: ${text}`);
  return result.edit;
}

/** As the host reads it: {env:…} is filled in first, a BOM is gone. */
function asTheHostReads(text: string) {
  return parse(text.replace(/^\ufeff/, "").replace(/\{(env|file):[^}]+\}/g, "7")) ?? {};
}

function specsIn(text: string) {
  const list = readPlugins(parseValidDocument(text), PLUGIN_LIST);
  return list.kind === "list" ? list.entries.map(({ spec }) => spec) : [];
}

describe("a plugin is added to a config file", () => {
  for (const { name, text, becomes } of SHAPES) {
    test(`${name}: the spec is first, all else stays, and the inverse restores every byte`, () => {
      const edit = added(text);
      const after = applyEdit(text, edit);
      if (becomes !== undefined) expect(after).toBe(becomes);
      expect(specsIn(after)[0]).toBe(SPEC);
      const { plugin, $schema, ...others } = asTheHostReads(after);
      const { plugin: former, $schema: formerSchema, ...formerOthers } = asTheHostReads(text);
      expect(others).toEqual(formerOthers);
      if (formerSchema !== undefined) expect($schema).toBe(formerSchema);
      const kept = former === null || former === undefined ? [] : [former].flat(1);
      expect(plugin.slice(1)).toEqual(Array.isArray(former) ? former : kept);
      expect(applyEdit(after, inverse(edit))).toBe(text);
    });

    test(`${name}: taking the entry out leaves valid JSON with all else`, () => {
      const after = applyEdit(text, added(text));
      const document = parseValidDocument(after);
      const list = readPlugins(document, PLUGIN_LIST);
      const ours =
        list.kind === "list" ? list.entries.find(({ spec }) => spec === SPEC) : undefined;
      if (ours === undefined) throw new Error("The entry is not there.");
      const without = applyEdit(after, removeEntry(document, ours));
      expect(specsIn(without)).toEqual(specsIn(after).filter((spec) => spec !== SPEC));
      const { plugin: _, ...others } = asTheHostReads(without);
      const { plugin: __, ...formerOthers } = asTheHostReads(after);
      expect(others).toEqual(formerOthers);
    });
  }
});

describe("an entry of ours that another stands before", () => {
  const rows = [
    ['{"plugin": ["a", ["ours", {"b": 1}], "c"]}', '{"plugin": [["ours", {"b": 1}], "a", "c"]}'],
    [
      '{\n  "plugin": [ // mine\n    "a", // first\n    "ours"\n  ]\n}\n',
      '{\n  "plugin": [ // mine\n    "ours",\n    "a", // first\n  ]\n}\n',
    ],
    ['{"plugin": ["ours", "a"]}', '{"plugin": ["ours", "a"]}'],
  ] as const;
  test.each(rows)("%j comes first", (text, expected) => {
    const document = parseValidDocument(text);
    const list = readPlugins(document, PLUGIN_LIST);
    const entries = list.kind === "list" ? list.entries : [];
    const ours = entries.find(({ spec }) => spec === "ours");
    if (ours === undefined) throw new Error("no entry");
    expect(movedToFront(document, ours)).toBe(expected);
  });

  test("setup run once more moves it, and a third run changes nothing", () => {
    const known = { listing: OPENCODE_LISTING, written: new Set(["/ours"]) };
    const wish = { spec: "/ours", takenOut: new Set<string>(), schema: null };
    const edit = listEdit("/opencode.json", wish, known);
    const text = '{"plugin": ["a-login", "/ours"]}';
    const made = edit(parseValidDocument(text));
    const after = made === null ? text : applyEdit(text, made);
    expect(specsIn(after)).toEqual(["/ours", "a-login"]);
    expect(edit(parseValidDocument(after))).toBeNull();
  });
});

describe("what can't be edited is refused with its reason", () => {
  const refusals: readonly (readonly [string, string, string])[] = [
    ["a list at the root", "[]", "not a JSON object"],
    ["plugin is a number", '{"plugin": 3}', "not a list"],
    ["plugin comes from a file", '{"plugin": {file:plugins.json}}', "not a list"],
    ["plugin stands there twice", '{"plugin": ["a"], "plugin": ["b"]}', "twice"],
  ];
  for (const [name, text, reason] of refusals) {
    test(name, () => {
      const result = addPlugin(parseValidDocument(text), {
        spec: SPEC,
        schema: null,
        form: PLUGIN_LIST,
      });
      expect(result.kind).toBe("refused");
      expect(JSON.stringify(result)).toContain(reason);
    });
  }

  test("invalid JSON is told by line and column", () => {
    expect(parseDocument('{\n  "model": "a/b",,\n}')).toEqual({
      kind: "invalid",
      reason: "property name expected",
      line: 2,
      column: 18,
    });
  });
});
