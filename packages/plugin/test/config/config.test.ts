import { describe, expect, test } from "bun:test";
import { resolveConfig } from "../whole-config.ts";

const user = (value: unknown) => ({
  file: "user",
  scope: "user" as const,
  value,
  findLine: () => null,
});
const project = (value: unknown) => ({
  file: "project",
  scope: "project" as const,
  value,
  findLine: () => null,
});

describe("entries of the configuration's tables", () => {
  const wrong: readonly (readonly [object, string, string])[] = [
    [{ file: "a", env: "B" }, "", "expected exactly one of file, glob, env and command"],
    [{}, "", "expected exactly one of file, glob, env and command"],
    [{ command: "ls -l" }, "command", "expected a list of words"],
    [{ command: [] }, "command", "expected a list of at least 1 entry"],
    [{ env: "A=B" }, "env", "expected the name of a variable"],
    [
      { file: "a", timeoutMs: "soon" },
      "timeoutMs",
      'expected a whole number from 10 to 600000, found "soon"',
    ],
    [{ file: "a", maxBytes: 0 }, "maxBytes", "expected a whole number from 16 to 1048576, found 0"],
    [{ file: "a", refreshMs: 5 }, "", "refreshMs is for commands only"],
    [{ file: "a", update: " " }, "update", "expected a text"],
    [{ file: "a", tiemoutMs: 5 }, "", "tiemoutMs"],
    [{ file: "a\0b" }, "file", "expected a text without NUL"],
  ];

  test.each(wrong)(
    "the source %j is left out and named, and costs no other",
    (entry, _at, reason) => {
      const sources = { "team/wrong": entry, "team/good": { file: "x" } };
      const { config, warnings } = resolveConfig([user({ sources })]);
      expect(config.sources).toEqual({ "team/good": { file: "x" } });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatchObject({ file: "user", key: "sources.team/wrong" });
      expect(warnings[0]?.reason).toContain(reason);
      expect(warnings[0]?.reason).toMatch(/[tT]he entry is left out$/);
    },
  );

  test.each(["oncall", "core/date", "Team/X", "timeoutMs", "../x", "__proto__"])(
    "%s is no key of a source",
    (key) => {
      const { config, warnings } = resolveConfig([
        user({ sources: JSON.parse(`{"${key}": {"file": "x"}}`) }),
      ]);
      expect(config.sources).toEqual({});
      expect(warnings).toHaveLength(1);
      expect(warnings[0]?.reason).toContain('like "team/oncall"');
    },
  );

  const refused: readonly Readonly<Record<string, object>>[] = [
    { sources: { "team/x": { command: ["id"] } } },
    { sources: { "team/x": { env: "SECRET" } } },
    { sources: { "team/x": { file: "/etc/passwd" } } },
    { sources: { "team/x": { file: "~/.netrc" } } },
    { sources: { "team/x": { file: "a/../../b" } } },
    { sources: { "team/x": { glob: "{a,..}/*" } } },
    { environment: { "/": { LD_PRELOAD: "x" } } },
  ];

  const cases = refused.map((value) => [value] as const);
  test.each(cases)("a project's own file may not have %j; the user's own stands", (value) => {
    const { config, warnings } = resolveConfig([
      user({ sources: { "team/own": { env: "MINE" } } }),
      project(value),
    ]);
    expect(config.sources).toEqual({ "team/own": { env: "MINE" } });
    expect(config.environment).toEqual({});
    expect(warnings.map(({ kind }) => kind)).toEqual(["refused"]);
    expect(warnings[0]?.reason).toStartWith("a project's file can");
  });

  test("a project's file may name files of the project, and sets nothing of a model", () => {
    const value = {
      sources: { "team/style": { file: "docs/style.md" }, "team/adr": { glob: "docs/**/*.md" } },
      generation: { "*/*": { temperature: 0 } },
      requestOptions: { "*/*": { effort: "high" } },
    };
    const { config, warnings } = resolveConfig([project(value)]);
    expect(config.sources).toEqual(value.sources);
    expect(config).toMatchObject({ generation: {}, requestOptions: {} });
    expect(warnings.map(({ kind, key }) => [kind, key])).toEqual([
      ["refused", "generation.*/*"],
      ["refused", "requestOptions.*/*"],
    ]);
  });

  test("M2: no warning of the environment has a value in it", () => {
    const environment = {
      "/a": { KEY: 12345678 },
      "/b": { "NOT A NAME": "s3cret-text" },
      "/c": { KEY: "s3cret\0text" },
      "/d": "s3cret-text",
      "/e": { GOOD: "kept" },
    };
    const { config, warnings } = resolveConfig([user({ environment })]);
    expect(config.environment).toEqual({ "/e": { GOOD: "kept" } });
    expect(warnings.map(({ key }) => key)).toEqual([
      "environment./a",
      "environment./b",
      "environment./c",
      "environment./d",
    ]);
    expect(JSON.stringify(warnings)).not.toMatch(/s3cret|12345678/);
  });

  test.each(["claude", "anthropic/", "/x", "a b/c"])("%j names no model", (pattern) => {
    const { config, warnings } = resolveConfig([
      user({ requestOptions: { [pattern]: { user: "x" } } }),
    ]);
    expect(config.requestOptions).toEqual({});
    expect(warnings[0]?.reason).toContain('expected "provider/model"');
  });
});
