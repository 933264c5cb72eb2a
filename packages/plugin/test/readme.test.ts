import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type ReadmeBlock,
  readmeBlocks,
  readmeCode,
  readmeExample,
} from "../../e2e/test/readme.ts";
import { resolveConfig } from "../src/config/resolve.ts";
import { describeFindings, RESUME_HINT } from "../src/inbox/words.ts";
import { type Addressee, type LoweringMode, nativeFamily } from "../src/lowering/gate.ts";

const ROOT = resolve(import.meta.dir, "../../..");

/** Blocks that no call of readmeCode takes, and what shows that they are true. */
const SHOWN_OTHERWISE: Readonly<Record<string, string>> = {
  "In the terminal UI | jsonc | 0": "tests of the terminal UI name the same file in tui.json",
  "In the terminal UI |  | 0": "golden screens of the terminal UI on the real host",
  "In the terminal UI |  | 1": "golden screens of the terminal UI on the real host",
};

/** Every `readmeCode(…)` and `readmeExample(…)` of a test, as `nameOf` has it. */
function taken(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of readdirSync(join(ROOT, "packages"))) {
    const folder = join(ROOT, "packages", name, "test");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(join(folder, file), "utf8");
      for (const [, heading] of text.matchAll(/readmeExample\("([^"]+)"\)/g)) {
        names.add(`${heading} | jsonc | 0`);
      }
      for (const [, heading, language, nth = "0"] of text.matchAll(
        /readmeCode\(\s*"([^"]+)",\s*"(\w*)"(?:,\s*(\d+))?,?\s*\)/g,
      )) {
        names.add(`${heading} | ${language} | ${nth}`);
      }
    }
  }
  return names;
}

const nameOf = ({ heading, language, nth }: ReadmeBlock) => `${heading} | ${language} | ${nth}`;

test("each code block of the README is taken by a test; lines of commands have a command with such flags", () => {
  const known = taken();
  const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts);
  const left = readmeBlocks().filter((block) => {
    if (known.has(nameOf(block)) || nameOf(block) in SHOWN_OTHERWISE) return false;
    return !block.code.split("\n").every((line) => isKnown(line, scripts));
  });
  expect(left.map(nameOf)).toEqual([]);
});

/** A script of the repository, or a command of the command line with the flags that it has. */
function isKnown(line: string, scripts: readonly string[]): boolean {
  const command = line.split(/ {2,}|#/, 1)[0]?.trim() ?? "";
  if (command === "") return true;
  const ours = /^npx session-runtime ([a-z]+)(.*)$/.exec(command);
  if (ours) {
    const flags = [...String(ours[2]).matchAll(/--([a-z-]+)/g)].map(([, flag]) => String(flag));
    const source = join(ROOT, "packages/cli/src/commands", `${ours[1]}.ts`);
    if (!existsSync(source)) return false;
    const text = readFileSync(source, "utf8");
    return flags.every((flag) => new RegExp(`"?\\b${flag}\\b"?: \\{`).test(text));
  }
  const script = /^npm (?:run )?([\w:]+)(?: |$)/.exec(command)?.[1];
  return script !== undefined && scripts.includes(script);
}

test("nothing is listed as shown otherwise that is not in the README", () => {
  const names = readmeBlocks().map(nameOf);
  expect(Object.keys(SHOWN_OTHERWISE).filter((name) => !names.includes(name))).toEqual([]);
});

describe("examples of the configuration", () => {
  const examples = readmeBlocks().filter(
    ({ language, code }) => language === "jsonc" && !code.includes('"plugin"'),
  );

  test.each(examples.map((block) => [nameOf(block), block.code] as const))(
    "%s is taken without a warning",
    (_name, code) => {
      const { warnings } = resolveConfig([
        { file: "README.md", scope: "user", lineOf: () => null, value: JSON.parse(code) },
      ]);
      expect(warnings).toEqual([]);
    },
  );

  test("Configuration: the plugin's options are taken without a warning", () => {
    const { plugin } = JSON.parse(readmeCode("Configuration", "jsonc"));
    const [[, value]] = plugin;
    const { config, warnings } = resolveConfig([
      { file: "README.md", scope: "user", lineOf: () => null, value },
    ]);
    expect(warnings).toEqual([]);
    expect(config.date.timeZone).toBe(value.date.timeZone);
  });

  test("M6: the example of lowering uses the role at the provider's own address, and nowhere else", () => {
    const mode = readmeExample("Updates in the provider's own role").lowering as LoweringMode;
    const to: Addressee = {
      providerId: "anthropic",
      apiId: "claude-opus-5",
      npm: "@ai-sdk/anthropic",
      baseUrl: null,
      fetch: "host",
    };
    expect(nativeFamily(mode, to)).toBe("anthropic");
    expect(nativeFamily(mode, { ...to, baseUrl: "http://127.0.0.1:1/v1" })).toBeNull();
  });
});

test("After a crash: what is told is in these words", () => {
  const found = { unsaved: 0, unanswered: 1, swallowed: 0, waiting: 2, tools: ["bash"] };
  expect(readmeCode("After a crash", "")).toBe(
    `Interrupted: ${describeFindings(found)} ${RESUME_HINT}\n`,
  );
});

test("When something is wrong: the findings are those that the doctor has words for", () => {
  const folder = join(ROOT, "packages/cli/src/doctor");
  const words = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const shown = readmeCode("When something is wrong", "");
  const titles = [...shown.matchAll(/^✔ ([^\d\n]+) \d/gm)].map(([, title]) => String(title));
  const code = /([a-z]+(?:-[a-z]+)+)$/m.exec(shown)?.[1] ?? "";
  const cause = /Cause: (.*?)"/.exec(shown)?.[1] ?? "";
  const unknown = [...titles, code, cause.trim()].filter((said) => !words.includes(said));
  expect(unknown).toEqual([]);
  expect(titles.length).toBeGreaterThan(0);
});

test("When the host compacts: the lines are those of the brief in docs/continuity.md, which a test makes", () => {
  const page = readFileSync(join(ROOT, "docs/continuity.md"), "utf8").split("\n");
  const lines = readmeCode("When the host compacts", "").trimEnd().split("\n");
  const places = lines.filter((line) => line !== "…").map((line) => page.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});
