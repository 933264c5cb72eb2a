import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  commandsIn,
  type Example,
  exampleCode,
  exampleSettings,
  examples,
  PAGES,
  ROOT,
} from "../../e2e/test/documents.ts";
import { isSetting, type ProjectPermission, type Setting } from "../src/config/setting.ts";
import type { CallTarget } from "../src/feature-api/feature-hooks.ts";
import { describeFindings, RESUME_HINT } from "../src/features/inbox/words.ts";
import { type LoweringMode, resolveNativeFamily } from "../src/features/instruction-role/plan.ts";
import { loadFeatures } from "../src/features/list.ts";
import { resolveConfig, settingsSchema } from "./whole-config.ts";

const README_WORDS = 900;

/** Every page that a reader may come to. */
const LINKED_PAGES: readonly string[] = [
  ...PAGES,
  ...["docs/benchmarks.md", "docs/requirements.md"],
  ...readdirSync(join(ROOT, "docs/lab")).map((name) => `docs/lab/${name}`),
  ...["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LAYERS.md", "STRUCTURE.md"],
  ...readdirSync(join(ROOT, "examples")).map((name) => `examples/${name}/README.md`),
];

/** Examples that no call of exampleCode takes, and what shows that they are true. */
const SHOWN_OTHERWISE: Readonly<Record<string, string>> = {
  "Add the panel | jsonc | 0": "tests of the terminal UI name the same file in tui.json",
  "The panel |  | 0": "compared with the golden screen below",
  "The panel |  | 1": "compared with the golden screen below",
  "The queue's dialog |  | 0": "compared with the golden screen below",
  "Turn it off | jsonc | 0": "taken as settings below",
  "Turn parts of it off | jsonc | 0": "taken as settings below",
  "Dropped: old tool output |  | 0": "features/history/document.test.ts writes it",
  "Folded: old work |  | 0": "features/history/document.test.ts writes it",
  "Key files |  | 0": "features/search/create-key-files.test.ts has the same frame",
  "See it |  | 0": "features/history/document.test.ts writes it",
  "Set a task | jsonc | 0": "taken as settings below",
  "Set up the store | jsonc | 0": "taken as settings below",
  "Install it | sh | 0":
    "the lines are those of scripts/build-pi.mjs, which Pi's tests build with, and of Pi itself",
  "Set up the store | sh | 0":
    "features/team/create-team.test.ts has the owner push, and then runs the SQL",
  "Turn it off | jsonc | 1": "taken as settings below",
  "Before and after |  | 0": "a summary such as the tests' SUMMARISERS give",
  "A workflow of your own | jsonc | 0": "taken as settings below",
};

/** Every `exampleCode(…)` and `exampleSettings(…)` of a test, as `nameOf` has it. */
function taken(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of readdirSync(join(ROOT, "packages"))) {
    const folder = join(ROOT, "packages", name, "test");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(join(folder, file), "utf8");
      for (const [, heading] of text.matchAll(/exampleSettings\("([^"]+)"\)/g)) {
        names.add(`${heading} | jsonc | 0`);
      }
      for (const [, heading, language, nth = "0"] of text.matchAll(
        /exampleCode\(\s*"([^"]+)",\s*"(\w*)"(?:,\s*(\d+))?,?\s*\)/g,
      )) {
        names.add(`${heading} | ${language} | ${nth}`);
      }
    }
  }
  return names;
}

const exampleName = ({ heading, language, nth }: Example) => `${heading} | ${language} | ${nth}`;

test("each example of the documents is taken by a test; lines of commands have a command with such flags", () => {
  const known = taken();
  const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts);
  const left = examples().filter((block) => {
    if (known.has(exampleName(block)) || exampleName(block) in SHOWN_OTHERWISE) return false;
    return !commandsIn(block.code).every((command) => isKnown(command, scripts));
  });
  expect(left.map(exampleName)).toEqual([]);
});

/** Of the words that features bring. */
const wordArgs = new Map(
  await Promise.all(
    (await loadFeatures({})).flatMap(({ cliCommands }) =>
      (cliCommands ?? []).map(async ({ name, load }) => [name, (await load()).args] as const),
    ),
  ),
);

const manifest = JSON.parse(readFileSync(join(ROOT, "packages/cli/package.json"), "utf8"));
const repository: string = manifest.repository.url;

test("one place says how it is installed: from a clone, by the packed archive, and by npx once it is released", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, install = ""] = /## Install\n([\s\S]*?)\n## /.exec(readme) ?? [];
  expect(install).toContain("The packages are not on npm yet.");
  expect(install).toContain("From the first release on, `npx session-runtime setup` will do");
  expect(install).toContain("`npm run pack`");
  const promising = filesBelow("docs").filter((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const isRecord = /^docs\/(?:decisions|lab)\//.test(path);
    return (
      !isRecord && /npx session-runtime|on npm/.test(text) && !text.includes("README.md#install")
    );
  });
  expect(promising).toEqual([]);
});

/** A script of the repository, or a command of the command line with the flags that it has. */
function isKnown(command: string, scripts: readonly string[]): boolean {
  const ours = /^(?:session-runtime|npm run cli --) ([a-z]+)(.*)$/.exec(command);
  if (ours) {
    const flags = [...String(ours[2]).matchAll(/--([a-z-]+)/g)].map(([, flag]) => String(flag));
    const word = wordArgs.get(String(ours[1]));
    if (word) return flags.every((flag) => Object.hasOwn(word, flag));
    const source = join(ROOT, "packages/cli/src/commands", `${ours[1]}.ts`);
    if (!existsSync(source)) return false;
    const text = readFileSync(source, "utf8");
    return flags.every((flag) => new RegExp(`"?\\b${flag}\\b"?: \\{`).test(text));
  }
  const clone = /^git clone (\S+)$/.exec(command)?.[1];
  if (clone !== undefined) return `git+${clone}` === repository;
  if (command === "cd session-runtime") return true;
  const script = /^npm (?:run )?([\w:]+)$/.exec(command)?.[1];
  return script === "install" || (script !== undefined && scripts.includes(script));
}

test("docs/command-line.md names every command", () => {
  const page = readFileSync(join(ROOT, "docs/command-line.md"), "utf8");
  const own = readdirSync(join(ROOT, "packages/cli/src/commands"))
    .map((name) => name.replace(".ts", ""))
    .filter((name) => name !== "check-database");
  expect(own).toContain("doctor");
  const commands = [...own, ...wordArgs.keys()];
  const isNamed = (name: string) => new RegExp(`\\bsession-runtime ${name}\\b`).test(page);
  expect(commands.filter((name) => !isNamed(name))).toEqual([]);
});

/** The npm page of the command line, where npx is the first step. */
const BY_NPX = ["packages/cli/README.md"];

test("documents and messages name commands in one form: `session-runtime`, but for the first step in a clone", () => {
  const documents = [
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", ...BY_NPX],
    ...filesBelow("docs").filter((path) => !path.startsWith("docs/decisions/")),
    ...["packages/plugin/src", "packages/cli/src"].flatMap(filesBelow),
  ];
  const others = documents.flatMap((path) =>
    readFileSync(join(ROOT, path), "utf8")
      .split("\n")
      .filter((line) => isOtherForm(line, path))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(others).toEqual([]);
});

function isOtherForm(line: string, path: string): boolean {
  if (/^\s*(?:\/\/|\/?\*)/.test(line)) return false;
  const byClone = /npm run cli -- (?!setup\b)\w/.test(line);
  // `npx session-runtime setup` is what the README promises for the time after publication.
  const byNpx = /npx session-runtime (?!setup` will\b)/.test(line) && !BY_NPX.includes(path);
  return byClone || byNpx;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:md|ts|tsx|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

test("each heading with an example is unique among the documents", () => {
  const places = new Set(examples().map(({ page, heading }) => `${heading} in ${page}`));
  const headings = new Set(examples().map(({ heading }) => heading));
  expect([...places]).toHaveLength(headings.size);
});

test("nothing is listed as shown otherwise that no document has", () => {
  const names = examples().map(exampleName);
  expect(Object.keys(SHOWN_OTHERWISE).filter((name) => !names.includes(name))).toEqual([]);
});

describe("examples of the configuration", () => {
  const settings = examples().filter(
    ({ language, code }) => language === "jsonc" && !code.includes('"plugin"'),
  );

  test.each(settings.map((block) => [exampleName(block), block.code] as const))(
    "%s is taken without a warning",
    (_name, code) => {
      const { warnings } = resolveConfig([
        { file: "example.jsonc", scope: "user", findLine: () => null, value: JSON.parse(code) },
      ]);
      expect(warnings).toEqual([]);
    },
  );

  test("Where settings live: the plugin's options are taken without a warning", () => {
    const { plugin } = JSON.parse(exampleCode("Where settings live", "jsonc"));
    const [[, value]] = plugin;
    const { config, warnings } = resolveConfig([
      { file: "example.jsonc", scope: "user", findLine: () => null, value },
    ]);
    expect(warnings).toEqual([]);
    expect(config.date.timeZone).toBe(value.date.timeZone);
  });

  test("M6: the example of lowering uses the role at the provider's own address, and nowhere else", () => {
    const mode = exampleSettings("Choose the role").lowering as LoweringMode;
    const to: CallTarget = {
      providerId: "anthropic",
      apiId: "claude-opus-5",
      npm: "@ai-sdk/anthropic",
      baseUrl: null,
      fetch: "host",
    };
    expect(resolveNativeFamily(mode, to)).toBe("anthropic");
    expect(resolveNativeFamily(mode, { ...to, baseUrl: "http://127.0.0.1:1/v1" })).toBeNull();
  });
});

test("docs/configuration.md lists every setting", () => {
  const page = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
  const schema = JSON.parse(readFileSync(join(ROOT, "packages/plugin/config.schema.json"), "utf8"));
  const sections: Record<string, { properties?: object }> = schema.properties;
  const keys = Object.entries(sections).flatMap(([section, { properties = {} }]) => {
    const names = Object.keys(properties);
    return names.length === 0 ? [section] : names.map((name) => `${section}.${name}`);
  });
  const isListed = (key: string) =>
    [key, key.replace(/\..*/, ".*")].some((name) => page.includes(`\`${name}\``));
  expect(keys).toContain("date.timeZone");
  expect(keys.filter((key) => key !== "$schema" && !isListed(key))).toEqual([]);
});

/** What the third column of docs/configuration.md says of what a project's file may do. */
const PROJECT_MAY: Readonly<Record<ProjectPermission["kind"], string>> = {
  set: "may set",
  "switch-off": "off only",
  lower: "lower only",
  "make-stricter": "stricter only",
  add: "adds",
  "add-own-files": "adds own files",
  nothing: "no",
};

/** By its dotted key. */
function everySetting(): ReadonlyMap<string, Setting> {
  const named = Object.entries(settingsSchema.settings).flatMap(([key, node]) =>
    isSetting(node)
      ? [[key, node] as const]
      : Object.entries(node).map(([name, one]) => [`${key}.${name}`, one] as const),
  );
  return new Map(named);
}

/** A default is shown as JSON; where there is none, in words. */
function isDefault(cell: string, value: unknown): boolean {
  if (value === null || value === "") return !/^`(?:null|"")`$/.test(cell) && cell !== "";
  return cell === `\`${JSON.stringify(value)}\``;
}

test("docs/configuration.md says each setting's default, and what a project's file may do with it", () => {
  const page = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| ([^|]+) \| ([^|]+) \| [^|]/gm)];
  const said = new Map(rows.map(([, key = "", value, may]) => [key, { value, may }]));
  const wrong = [...everySetting()].flatMap(([key, { default: value, project }]) => {
    const row = said.get(key);
    if (row === undefined) return [`${key} has no row`];
    return [
      ...(isDefault(row.value ?? "", value) ? [] : [`${key}: its default is not ${row.value}`]),
      ...(row.may === PROJECT_MAY[project.kind] ? [] : [`${key}: ${PROJECT_MAY[project.kind]}`]),
    ];
  });
  expect(wrong).toEqual([]);
});

test("After a crash: the notice has these words", () => {
  const found = { unsaved: 0, unanswered: 1, swallowed: 0, waiting: 2, tools: ["bash"], unread: 1 };
  expect(exampleCode("After a crash", "")).toBe(
    `Interrupted: ${describeFindings(found)} ${RESUME_HINT}\n`,
  );
});

test("Doctor: the findings are those that the doctor has words for", () => {
  const folder = join(ROOT, "packages/cli/src/doctor");
  const words = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const shown = exampleCode("Doctor", "");
  const titles = [...shown.matchAll(/^✔ ([^:\n]+): \d/gm)].map(([, title]) => String(title));
  const code = /([a-z]+(?:-[a-z]+)+)$/m.exec(shown)?.[1] ?? "";
  const cause = /Cause: (.*?)"/.exec(shown)?.[1] ?? "";
  const unknown = [...titles, code, cause.trim()].filter((said) => !words.includes(said));
  expect(unknown).toEqual([]);
  expect(titles.length).toBeGreaterThan(0);
});

test("docs/doctor.md has a row for each code that the doctor gives, and for no other", () => {
  const source = filesBelow("packages/cli/src/doctor")
    .map((file) => readFileSync(join(ROOT, file), "utf8"))
    .join("\n");
  const codes = [...source.matchAll(/\bcode: "([a-z]+(?:-[a-z]+)+)"/g)].map(([, code]) => code);
  const page = readFileSync(join(ROOT, "docs/doctor.md"), "utf8");
  expect(new Set(codes).size).toBeGreaterThan(50);
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  const named = [...page.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(
    ([, cell = ""]) => cell.match(/[a-z]+(?:-[a-z]+)+/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(70);
  expect(named.filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});

test("the README is a front door: at most 900 words, and a picture", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(README_WORDS);
  expect(readme).toContain("](docs/pictures/day.svg)");
});

test("CHANGELOG.md says what the first version is, and not how it came about: at most 4 kB", () => {
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  expect(changelog).not.toMatch(/^## \d/m);
  expect(Buffer.byteLength(changelog)).toBeLessThanOrEqual(4 * 1024);
});

test("what a reader may have to read in docs/ has at most 150 kB; tables and measurements go to docs/lab", () => {
  const pages = filesBelow("docs").filter((path) => !path.startsWith("docs/lab/"));
  const bytes = pages.map((path) => statSync(join(ROOT, path)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150_000);
});

test("the figures beside the README's chart are those in the chart", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, said = ""] = /<!-- day -->\n([\s\S]*?)\n<!-- \/day -->/.exec(readme) ?? [];
  const figures = said.match(/\d+(?:,\d{3})+|\d+\.\d %/g) ?? [];
  const chart = readFileSync(join(ROOT, "docs/pictures/day.svg"), "utf8");
  expect(figures).toHaveLength(3);
  expect(figures.filter((figure) => !chart.includes(figure))).toEqual([]);
});

test("the figures of long sessions are the benchmark's", () => {
  const page = readFileSync(join(ROOT, "docs/history.md"), "utf8");
  const [, said = ""] = /<!-- long -->\n([\s\S]*?)\n<!-- \/long -->/.exec(page) ?? [];
  const benchmarks = readFileSync(join(ROOT, "docs/lab/benchmarks.md"), "utf8");
  const [, section = ""] =
    /## A long session in a window of 60,000 tokens\n([\s\S]*?)\n## /.exec(benchmarks) ?? [];
  const figures = said.match(/\d+ of \d+|\d{1,3}(?:,\d{3}){2,}/g) ?? [];
  expect(figures).toHaveLength(4);
  expect(figures.filter((figure) => !section.includes(`| ${figure} |`))).toEqual([]);
});

test.each([
  ["README.md", "real"],
  ["README.md", "beside"],
  ["docs/history.md", "real"],
])(
  "%s says of recorded sessions what the benchmark has measured, word for word: %s",
  (page, mark) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const [, said = ""] =
      new RegExp(`<!-- ${mark} -->\n([^\n]*)\n<!-- /${mark} -->`).exec(text) ?? [];
    const benchmarks = readFileSync(join(ROOT, "docs/lab/benchmarks.md"), "utf8");
    expect(said).toMatch(/^(?:In \d+ recorded sessions of real models|\d+ recorded sessions on) /);
    expect(benchmarks.split("\n")).toContain(said);
  },
);

test("the rows of recorded sessions beside other plugins are the benchmark's", () => {
  const cells = (page: string, begins: RegExp) =>
    page.split("\n").flatMap((row) => (begins.test(row) ? [row.split(" | ").slice(1)] : []));
  const benchmarks = readFileSync(join(ROOT, "docs/lab/benchmarks.md"), "utf8");
  const [, table = ""] =
    /\| host with \| bill ÷ stock, in sum[^\n]*\n([\s\S]*?)\n\n/.exec(benchmarks) ?? [];
  const rows = cells(table, /^\| (?:OpenCode alone|DCP|Session Runtime)/);
  expect(rows).toHaveLength(3);
  const column = (at: number, shown: (cell: string) => string) => {
    const shownIn = rows.map((row) => shown(String(row[at])));
    return [...shownIn.slice(0, 2), "not measured", ...shownIn.slice(2)];
  };
  const page = readFileSync(join(ROOT, "docs/other-plugins.md"), "utf8");
  const said = cells(page, /^\| (?:bill of|results asked|your earlier)/);
  expect(said.map((row) => row.map((cell) => cell.replace(" |", "")))).toEqual([
    column(0, (cell) => `${(100 * Number(cell)).toFixed(1)} %`),
    column(2, (cell) => cell),
    column(3, (cell) => cell),
  ]);
});

test.each([...LINKED_PAGES])("%s: each link leads somewhere", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/```[\s\S]*?```/g, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => String(target));
  const dead = targets.filter(
    (target) => !/^https?:/.test(target) && !leadsSomewhere(page, target),
  );
  expect(dead).toEqual([]);
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  return statSync(file).isFile() && listAnchors(readFileSync(file, "utf8")).includes(anchor);
}

/** The anchors of a page's headings, as GitHub makes them. */
function listAnchors(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    String(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("docs/README.md lists every page for users", () => {
  const contents = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  const missing = pages.filter((page) => !contents.includes(`](${page.slice("docs/".length)})`));
  expect(missing).toEqual([]);
});

describe("captures of the terminal UI are its golden screens", () => {
  const screen = (name: string) =>
    readFileSync(join(ROOT, `packages/e2e/test/tui/golden/${name}.txt`), "utf8").split("\n");

  /** The plugin's part of the sidebar. */
  function panel(): string {
    const rows = screen("panel-121");
    const first = rows.findIndex((row) => row.includes("Session Runtime"));
    const column = rows[first]?.indexOf("Session Runtime") ?? 0;
    const beyond = rows.findIndex((row, index) => index > first && row.slice(column) === "LSP");
    return rows
      .slice(first, beyond)
      .map((row) => row.slice(column))
      .join("\n")
      .trimEnd();
  }

  const line = () =>
    screen("line-120")
      .find((row) => row.includes("cache "))
      ?.trim() ?? "";

  const queue = () => screen("queue-dialog").join("\n").trimEnd();

  /** With times in the place of the golden file's placeholder. */
  const fenced = (capture: string) => `\`\`\`\n${capture.replaceAll("AGO", "12 s ago")}\n\`\`\``;

  test.each([
    ["docs/terminal-ui.md", "panel", panel],
    ["docs/terminal-ui.md", "panel-line", line],
    ["docs/terminal-ui.md", "queue", queue],
  ])("%s: %s (UPDATE_GOLDEN=1 writes it)", (page, mark, capture) => {
    const file = join(ROOT, page);
    const marked = new RegExp(`(<!-- ${mark} -->\n)([^]*?)\n?(<!-- /${mark} -->)`);
    const text = readFileSync(file, "utf8");
    const wanted = fenced(capture());
    if (process.env.UPDATE_GOLDEN === "1") {
      writeFileSync(
        file,
        text.replace(marked, (_, open, _old, close) => `${open}${wanted}\n${close}`),
      );
    }
    expect(wanted).not.toMatch(/^```\n\s*```$/);
    expect(marked.exec(readFileSync(file, "utf8"))?.[2]).toBe(wanted);
  });
});
