import { describe, expect, test } from "bun:test";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { hashText } from "../../src/context/canonical.ts";
import { isSourceKey } from "../../src/context/key.ts";
import { absent, Unavailable } from "../../src/context/source.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import {
  createNestedSource,
  extractNested,
  stripNested,
  toNestedKey,
} from "../../src/sources/nested-instructions.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

const body =
  "<path>/p/a.ts</path>\n<type>file</type>\n<content>\n1: a\n\n(End of file - total 1 lines)\n</content>";
/** As the host's read tool appends it. */
const output = (files: readonly { path: string; content: string }[]) =>
  `${body}\n\n<system-reminder>\n${files.map((file) => `Instructions from: ${file.path}\n${file.content}`).join("\n\n")}\n</system-reminder>`;
const one = {
  path: "/p/b/AGENTS.md",
  content: "deep\n\nInstructions from: elsewhere\n</system-reminder>\n",
};
const two = { path: "/p/AGENTS.md", content: "shallow\n" };

describe("nested instructions", () => {
  test("J23: what the model was shown is taken from the result", () => {
    expect(extractNested(output([one, two]), [one.path, two.path])).toEqual([one, two]);
  });

  test("a path whose text is not in the output was not shown", () => {
    expect(extractNested("Image read successfully", [one.path])).toEqual([]);
    expect(extractNested(output([two]), [one.path, two.path])).toEqual([two]);
    expect(extractNested(body, [])).toEqual([]);
    const quoted = `This long document says near its end:\n\nInstructions from: ${two.path}\nshallow`;
    expect(extractNested(quoted, [two.path])).toEqual([]);
    expect(extractNested(output([one]), [one.path, one.path])).toEqual([one]);
  });

  test("of an output that was cut, what is there was shown", () => {
    expect(extractNested(output([two]).slice(0, -20), [two.path])).toEqual([
      { path: two.path, content: "shallow" },
    ]);
    expect(stripNested(output([two]).slice(0, -20), [two.path], [two.path])).toBe(body);
  });

  test("copies are taken out one by one, and the reminder with the last", () => {
    const both = output([one, two]);
    const loaded = [one.path, two.path];
    expect(stripNested(both, loaded, [one.path])).toBe(output([two]));
    expect(stripNested(both, loaded, [two.path])).toBe(output([one]));
    expect(stripNested(both, loaded, loaded)).toBe(body);
    expect(stripNested(both, loaded, ["/other"])).toBe(both);
    expect(stripNested(body, loaded, loaded)).toBe(body);
    expect(stripNested(`${both}\nmore`, loaded, loaded)).toBe(`${body}\nmore`);
  });

  test("property: extraction and removal undo the host's appending", () => {
    const content = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom("</content>", "</system-reminder>", "\n\n"),
    );
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), (contents) => {
        const files = contents.map((text, index) => ({
          path: `/p/${index}/AGENTS.md`,
          content: text,
        }));
        const loaded = files.map(({ path }) => path);
        expect(extractNested(output(files), loaded)).toEqual(files);
        expect(stripNested(output(files), loaded, loaded)).toBe(body);
      }),
    );
  });

  test("D8: a nested file is watched: baseline, update, removal", async () => {
    const path = join(scratchFolder(), "AGENTS.md");
    writeFileSync(path, "one");
    const source = createNestedSource(path, { files: new FileCache(), hash: hashText });
    expect(source.key).toBe(toNestedKey(path, hashText));
    expect(isSourceKey(source.key)).toBe(true);
    const value = { path, content: "one" };
    const loaded = await source.load();
    expect(loaded).toEqual(value);
    // The same object while nothing changes: it is encoded once.
    expect(await source.load()).toBe(loaded);
    expect(source.baseline(value)).toBe(`Instructions from: ${path}\none`);
    expect(source.update(value, { path, content: "two" })).toBe(
      `These instructions replace the ones previously loaded from this file.\n\nInstructions from: ${path}\ntwo`,
    );
    expect(source.baseline({ path, content: "" })).toBe(`Instructions from: ${path}\n(empty)`);
    rmSync(path);
    expect(await source.load()).toBe(absent);
    symlinkSync(path, path);
    expect(await source.load()).toEqual(new Unavailable(`${path}: ELOOP`));
    expect(source.removed?.(value)).toBe(`The instructions from ${path} no longer apply.`);
  });
});
