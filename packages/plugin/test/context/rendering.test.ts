import { expect, test } from "bun:test";
import { z } from "zod";
import { initialize, reconcile } from "../../src/context/operations.ts";
import { emptySnapshot } from "../../src/context/snapshot.ts";
import type { SourceDefinition } from "../../src/context/source.ts";
import {
  combine,
  createSystemContext,
  markUnavailable,
  observe,
} from "../../src/context/system-context.ts";
import { entryAt, expectKind, removable } from "./fake-source.ts";
import { initializeContext } from "./observed-operations.ts";

const sound: SourceDefinition<string> = {
  key: "test/a",
  schema: z.string(),
  load: async () => "1",
  baseline: (current) => current,
  update: (previous, current) => `${previous} ${current}`,
  removed: (previous) => previous,
};

async function admittedBySound() {
  const { snapshot } = expectKind(
    await initializeContext(createSystemContext(sound)),
    "initialized",
  );
  return snapshot;
}

for (const empty of ["", " \n\t"]) {
  const shown = JSON.stringify(empty);

  test(`A10: an empty rendering is a defect that names key and rendering: baseline ${shown}`, async () => {
    const observed = await observe(createSystemContext({ ...sound, baseline: () => empty }));
    expect(() => initialize(observed)).toThrow(
      expect.objectContaining({
        name: "EmptyRenderingError",
        code: "empty_rendering",
        key: "test/a",
        rendering: "baseline",
      }),
    );
  });

  test(`A10: an empty rendering is a defect that names key and rendering: update ${shown}`, async () => {
    const changed = createSystemContext({ ...sound, load: async () => "2", update: () => empty });
    const [observed, before] = [await observe(changed), await admittedBySound()];
    expect(() => reconcile(observed, before)).toThrow(
      expect.objectContaining({ name: "EmptyRenderingError", rendering: "update" }),
    );
  });

  test(`A10: an empty rendering is a defect that names key and rendering: removal ${shown}`, async () => {
    const observed = await observe(createSystemContext({ ...sound, removed: () => empty }));
    expect(() => initialize(observed)).toThrow(
      expect.objectContaining({ name: "EmptyRenderingError", rendering: "removal" }),
    );
  });
}

test("a renderer that throws is named with its key and rendering, its error the cause", async () => {
  const cause = new Error("no template");
  const failing = createSystemContext({
    ...sound,
    baseline: () => {
      throw cause;
    },
  });
  const observed = await observe(failing);
  expect(() => initialize(observed)).toThrow(
    expect.objectContaining({
      name: "FailedRenderingError",
      code: "failed_rendering",
      key: "test/a",
      rendering: "baseline",
      cause,
    }),
  );
});

test("a source whose rendering failed can be demoted, so that the others are told", async () => {
  const failing = createSystemContext({ ...sound, baseline: () => "" });
  const observed = await observe(combine([failing, removable("test/b", "2").context]));
  const [bad] = observed;
  if (!bad) throw new Error("two sources");
  const demoted = markUnavailable(observed, bad.key, "empty baseline");
  expect(demoted[0]?.state).toEqual({ kind: "unavailable", reason: "empty baseline" });
  const { parts } = expectKind(reconcile(demoted, emptySnapshot), "updated");
  expect(parts.map((part) => part.text)).toEqual(["test/b is 2"]);
});

test("texts are stored and sent alike: lone surrogates don't survive a rendering", async () => {
  const context = createSystemContext({
    ...sound,
    load: async () => "high \ud83d, low \ude00, whole 😀",
  });
  const { parts, snapshot } = expectKind(await initializeContext(context), "initialized");
  expect(parts[0]?.text).toBe("high \ufffd, low \ufffd, whole 😀");
  expect(entryAt(snapshot, "test/a")?.removed).toBe("high \ufffd, low \ufffd, whole 😀");
});

test("a definition may be an instance whose methods use `this`", async () => {
  class Duty implements SourceDefinition<string> {
    readonly key = "test/duty";
    readonly schema = z.string();
    readonly title = "On duty";
    async load() {
      return `${this.title.length}`;
    }
    baseline(current: string) {
      return `${this.title}: ${current}`;
    }
    update(previous: string, current: string) {
      return `${this.title}: ${previous}, then ${current}`;
    }
    removed(previous: string) {
      return `${this.title}: no longer ${previous}`;
    }
  }
  const context = createSystemContext(new Duty());
  const { parts, snapshot } = expectKind(await initializeContext(context), "initialized");
  expect(parts[0]?.text).toBe("On duty: 7");
  expect(entryAt(snapshot, "test/duty")?.removed).toBe("On duty: no longer 7");
});
