import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { loadCatalogue } from "../src/catalogue.ts";
import { run } from "../src/run.ts";
import { nearest } from "../src/strict-arguments.ts";
import { PLAIN } from "../src/terminal/style.ts";
import { bundledCli, runCli, runRerun } from "./command-line.ts";

const CATALOGUE = await loadCatalogue();

const COLOUR = "\x1b[";

describe("help", () => {
  test("without words the help is shown, with every command", async () => {
    const { out, exitCode } = await runCli([]);
    expect(exitCode).toBe(0);
    for (const { summary } of CATALOGUE) expect(out).toContain(summary);
  });

  test("every command's help has its summary, its usage and an example", async () => {
    for (const { name, load } of CATALOGUE) {
      const command = await load();
      const { out, exitCode } = await runRerun([name, "--help"], {}, tmpdir());
      expect({ name, exitCode }).toEqual({ name, exitCode: 0 });
      expect(out).toContain(command.summary);
      expect(out).toContain(`node ${bundledCli()} ${name}`);
      for (const { line } of command.examples) {
        expect(out).toContain(line.replace(/^(?:npx )?session-runtime /, ""));
      }
    }
  });

  test("--version prints the version of the package, and nothing else", async () => {
    const { version } = await Bun.file(new URL("../package.json", import.meta.url)).json();
    expect((await runCli(["--version"])).out).toBe(`${version}\n`);
  });
});

describe("a command line that is wrong", () => {
  test("an unknown command ends with 2 and names the likely one", async () => {
    const { err, out, exitCode } = await runCli(["docter"]);
    expect({ out, exitCode }).toEqual({ out: "", exitCode: 2 });
    expect(err).toContain('There is no command "docter".');
    expect(err).toContain("Did you mean doctor?");
  });

  const wrong: readonly (readonly [readonly string[], string, string])[] = [
    [["setup", "--yess"], "There is no option --yess.", "Did you mean --yes?"],
    [["setup", "--spec"], "--spec needs a value.", "--help"],
    [["setup", "--recovery", "autos"], "takes one of ask, auto, off", "Did you mean auto?"],
    [["setup", "more"], "too many arguments", "--help"],
    [["doctor", "--json=1"], "--json takes no value.", "--help"],
    [["setup", "--global", "--project"], "can't be combined", ""],
  ];
  for (const [words, message, advice] of wrong) {
    test(`${words.join(" ")}: told, with what it takes, and ends with 2`, async () => {
      const { err, out, exitCode } = await runCli(words);
      expect({ out, exitCode }).toEqual({ out: "", exitCode: 2 });
      expect(err).toContain(message);
      expect(err).toContain(advice);
    });
  }

  test("what nobody foresaw is told without code of ours, with what to do", async () => {
    const sink = () => {
      const texts: string[] = [];
      return { texts, write: (text: string) => texts.push(text) };
    };
    const [out, err] = [sink(), sink()];
    const broken = { out, err, style: PLAIN, errStyle: PLAIN, columns: 80, isInteractive: false };
    const terminal = {
      ...broken,
      get env(): never {
        throw new TypeError("boom");
      },
    };
    expect(await run(["completions"], terminal, "1.0.0")).toBe(1);
    expect(err.texts.join("")).toContain("This should not have happened: boom");
    expect(err.texts.join("")).toContain("open an issue");
  });

  test("with --json the error is JSON on stdout, and stderr is silent", async () => {
    const { out, err, exitCode } = await runCli(["docter", "--json"]);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 2 });
    expect(JSON.parse(out).error.code).toBe("usage");
  });
});

describe("colours", () => {
  test("a pipe gets none", async () => {
    expect((await runCli([])).out).not.toContain(COLOUR);
  });

  test("FORCE_COLOR brings them to a pipe, NO_COLOR takes them away again", async () => {
    expect((await runCli([], { FORCE_COLOR: "1" })).out).toContain(COLOUR);
    expect((await runCli([], { FORCE_COLOR: "1", NO_COLOR: "1" })).out).not.toContain(COLOUR);
  });
});

test("nearest finds what was meant, and nothing where nothing is near", () => {
  expect(nearest("stat", ["status", "setup"])).toBe("status");
  expect(nearest("setpu", ["status", "setup"])).toBe("setup");
  expect(nearest("zzz", ["status", "setup"])).toBeUndefined();
});
