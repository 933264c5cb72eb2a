import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Unavailable } from "../../src/context/source.ts";
import {
  expandBraces,
  maxAlternatives,
  NamePattern,
  StepCounter,
} from "../../src/sources/glob-pattern.ts";
import { defaultWalkBounds, globFiles } from "../../src/sources/glob-walk.ts";
import { Confinement, threadDisk } from "../../src/sources/read-file.ts";
import { parseConfig, resolveConfig } from "../whole-config.ts";

const defaultConfig = parseConfig({});

// What a hostile project may hold, made up at random: the same at each run, much more of it in the long one.
const seed = Number(process.env.SEED ?? 20_261_123);
const runs = { seed, numRuns: process.env.LONG ? 20_000 : 300 };
const TIMEOUT_MS = 900_000;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-attack-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = [
  ...Object.keys(defaultConfig),
  "file",
  "glob",
  "env",
  "command",
  "maxBytes",
  "__proto__",
  "constructor",
];
const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie("value"), { maxKeys: 5 }),
  ),
})).value;

/** Pieces that patterns are made of, the ones that have opened a way out among them. */
const piece = fc.constantFrom(
  ...[
    "*",
    "**",
    "?",
    "a",
    "b",
    ".",
    "..",
    "/",
    "//",
    "~",
    "{",
    "}",
    ",",
    "{a,b}",
    "{1..9999}",
    "\\",
    "\\.",
  ],
  ...[
    "[",
    "]",
    "[.]",
    "[!a]",
    "!(a)",
    "@(.|a)",
    "+(a|*)",
    "*(a)",
    ".ssh",
    "in",
    "out",
    "link",
    "%2e",
    "file://",
    "\0",
  ],
);
const pattern = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(""));

describe(`a hostile project (SEED=${seed})`, () => {
  test(
    "whatever its settings hold, what comes of them is valid, and a wrong one has a short warning",
    () => {
      fc.assert(
        fc.property(json, json, (user, project) => {
          const { config, warnings } = resolveConfig([
            { file: "user.jsonc", scope: "user", value: user, findLine: () => 1 },
            { file: "project.jsonc", scope: "project", value: project, findLine: () => 1 },
          ]);
          expect(parseConfig(JSON.parse(JSON.stringify(config)))).toEqual(config);
          for (const warning of warnings)
            expect(JSON.stringify(warning).length).toBeLessThan(2_000);
          expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
        }),
        runs,
      );
    },
    TIMEOUT_MS,
  );

  test(
    "no pattern stands for more than its bound, and none takes more steps for each character of a name than the square of its length",
    () => {
      const name = fc
        .array(fc.constantFrom("a", "b", ".", "-"), { maxLength: 200 })
        .map((all) => all.join(""));
      fc.assert(
        fc.property(pattern, name, (text, tried) => {
          const alternatives = expandBraces(text);
          if (alternatives !== null) {
            expect(alternatives.length).toBeLessThanOrEqual(maxAlternatives);
            for (const one of alternatives.slice(0, 3)) {
              const work = new StepCounter();
              new NamePattern(one, work).test(tried);
              expect(work.steps).toBeWithin(1, (one.length + 1) ** 2 * (tried.length + 1) + 1);
            }
          }
        }),
        runs,
      );
    },
    TIMEOUT_MS,
  );

  test(
    "no pattern of a project's own leads out of it, by `..`, by an absolute path or by a link",
    async () => {
      const project = join(folder, "project");
      const outside = join(folder, "out");
      mkdirSync(join(project, "in/.ssh"), { recursive: true });
      mkdirSync(join(outside, ".ssh"), { recursive: true });
      for (const path of [
        join(project, "in/a"),
        join(project, "a"),
        join(outside, "a"),
        join(outside, ".ssh/b"),
      ]) {
        writeFileSync(path, "text");
      }
      symlinkSync(outside, join(project, "link"));
      symlinkSync(join(outside, "a"), join(project, "in/b"));
      await fc.assert(
        fc.asyncProperty(pattern, async (text) => {
          const confinement = new Confinement(project, () => undefined);
          const found = await globFiles(text, {
            ...{ cwd: project, dots: "matched" as const, now: () => performance.now() },
            bounds: { ...defaultWalkBounds, steps: 1_000_000 },
            confinement,
          });
          if (found instanceof Unavailable) return;
          for (const path of found) {
            // Found by its name: where that is a link that leads out, it is refused before it is read.
            const isInside = realpathSync(path).startsWith(`${project}/`);
            const target = await confinement.resolve(path, threadDisk);
            expect(`${path}: ${target !== null}`).toBe(`${path}: ${isInside}`);
            if (!isInside) expect([join(project, "in/b"), join(project, "link")]).toContain(path);
          }
        }),
        { ...runs, numRuns: Math.ceil(runs.numRuns / 4) },
      );
    },
    TIMEOUT_MS,
  );
});
