// The project of a scripted session: files to read, commands with their output, issues.
import type { Files } from "../../host/home.ts";
import type { ScriptedCall } from "../../provider/reply.ts";
import type { Dice } from "./dice.ts";
import { drawFact } from "./facts.ts";
import { type FillerKind, fillerLines } from "./filler.ts";
import type { Fact } from "./session-script.ts";

/** Prints what stands in a file of that name, the second time what stands in another, if there is one. */
const DEV = `#!/bin/sh
name=.outputs/$(printf %s "$*" | tr -c 'A-Za-z0-9' -)
if [ -e "$name.ran" ] && [ -e "$name.again" ]; then cat "$name.again"; exit 0; fi
touch "$name.ran"
cat "$name.txt"
[ ! -e "$name.fails" ]
`;

const AREAS = ["billing", "ledger", "gateway", "search", "mailer", "report"] as const;

/** Makes files while the session is written. */
export class Workshop {
  readonly #files: Record<string, string> = {
    "tools/dev": DEV,
    "AGENTS.md": "# Working here\n\n- Keep changes small.\n- Run the tests of what you touch.\n",
  };
  readonly #revisions = new Map<string, number>();
  #made = 0;

  /** @param lengthFactor how long outputs are, against those for a small window */
  constructor(
    private readonly dice: Dice,
    private readonly lengthFactor: number,
  ) {}

  get files(): Files {
    return this.#files;
  }

  /** A file that was read and has no facts in it; undefined where there is none yet. */
  pickReadFile(): string | undefined {
    return this.dice.shuffled([...this.#revisions.keys()])[0];
  }

  /** A new file of the project, read whole. */
  readNew(facts: readonly Fact[]): ScriptedCall {
    const path = `src/${this.#area()}/${this.#name()}.ts`;
    const lines = fillerLines("code", this.#length(50, 140), this.dice);
    if (facts.length === 0) {
      lines.splice(2, 0, "// revision 0 of this file");
      this.#revisions.set(path, 0);
    }
    this.#files[path] = this.#with(lines, facts);
    return this.read(path);
  }

  /** A new file with a word of its own in its middle: whether a request shows the file can be seen by it. */
  marked(): { readonly read: ScriptedCall; readonly marker: string } {
    const path = `src/${this.#area()}/${this.#name()}.ts`;
    const marker = `marker ${this.dice.codename()}`;
    const lines = fillerLines("code", this.#length(50, 140), this.dice);
    lines.splice(Math.floor(lines.length / 2), 0, `// ${marker}`);
    this.#files[path] = this.#with(lines, []);
    return { read: this.read(path), marker };
  }

  /** A command that prints about so many characters. */
  printing(chars: number): ScriptedCall {
    const words = `trace ${this.#name()}`;
    const lines: string[] = [];
    for (let length = 0; length < chars; length += (lines.at(-1)?.length ?? 0) + 1) {
      lines.push(...fillerLines("log", 1, this.dice));
    }
    this.#files[`.outputs/${fileName(words)}.txt`] = this.#with(lines, []);
    return bash(words, `Look at ${words}`);
  }

  read(path: string): ScriptedCall {
    return { name: "read", input: { filePath: path } };
  }

  edit(path: string): ScriptedCall {
    const revision = this.#revisions.get(path) ?? 0;
    this.#revisions.set(path, revision + 1);
    const line = (number: number) => `// revision ${number} of this file`;
    return {
      name: "edit",
      input: { filePath: path, oldString: line(revision), newString: line(revision + 1) },
    };
  }

  write(): ScriptedCall {
    const path = `src/${this.#area()}/${this.#name()}.ts`;
    const content = fillerLines("code", this.#length(25, 60), this.dice).join("\n");
    return { name: "write", input: { filePath: path, content } };
  }

  /** The tests of an area: the same command says the same again. */
  tests(area: string): ScriptedCall {
    const words = `test ${area}`;
    const output = `.outputs/${fileName(words)}.txt`;
    this.#files[output] ??= this.#with(fillerLines("tests", this.#length(30, 60), this.dice), []);
    return bash(words, `Run the tests of ${area}`);
  }

  area(): string {
    return this.#area();
  }

  command(facts: readonly Fact[]): ScriptedCall {
    const kind: FillerKind =
      facts[0]?.kind === "table" ? "table" : this.dice.pick(["log", "table"]);
    const words = `${this.dice.pick(["logs", "stats", "migrate", "bench"])} ${this.#name()}`;
    const lines = fillerLines(kind, this.#length(50, 130), this.dice);
    this.#files[`.outputs/${fileName(words)}.txt`] = this.#with(lines, facts);
    return bash(words, `Look at ${words}`);
  }

  /** Fails the first time, passes the second. */
  failing(facts: readonly Fact[]): ScriptedCall {
    const words = `build ${this.#name()}`;
    const base = `.outputs/${fileName(words)}`;
    const lines = fillerLines("log", this.#length(30, 80), this.dice);
    this.#files[`${base}.txt`] = this.#with(lines, facts);
    this.#files[`${base}.fails`] = "";
    this.#files[`${base}.again`] =
      `${fillerLines("tests", this.#length(5, 15), this.dice).join("\n")}\n`;
    return bash(words, `Build ${words.split(" ")[1]}`);
  }

  grep(facts: readonly Fact[]): ScriptedCall {
    const folder = `src/${this.#area()}/${this.#name()}`;
    const lines = Array.from({ length: this.#length(12, 30) }, () =>
      drawFact("grep", this.dice).similar(this.dice),
    );
    const middle = Math.ceil(lines.length / 2);
    this.#files[`${folder}/first.ts`] = this.#with(lines.slice(0, middle), facts);
    this.#files[`${folder}/second.ts`] = this.#with(lines.slice(middle), []);
    return { name: "grep", input: { pattern: "register", path: folder } };
  }

  issue(facts: readonly Fact[]): ScriptedCall {
    const key = `${this.#area().toUpperCase()}-${this.dice.from(100, 999)}-${this.#made++}`;
    const lines = fillerLines("log", this.#length(15, 40), this.dice);
    const similar = Array.from({ length: 6 }, () => drawFact("mcp", this.dice).similar(this.dice));
    const stated = [...similar, ...facts.map(({ line }) => line)];
    const related = this.dice.shuffled(stated).map((pairs) => `    { ${pairs} }`);
    const log = lines.map((line) => `    ${JSON.stringify(line)}`);
    this.#files[`.desk/${key}.json`] =
      `{\n  "key": "${key}",\n  "related": [\n${related.join(",\n")}\n  ],\n  "log": [\n${log.join(",\n")}\n  ]\n}\n`;
    return { name: "desk_issue", input: { key } };
  }

  #with(lines: readonly string[], facts: readonly Fact[]): string {
    const all = [...lines];
    for (const { line } of facts) all.splice(this.dice.from(0, all.length), 0, line);
    return `${all.join("\n")}\n`;
  }

  #length(least: number, most: number): number {
    return Math.round(this.dice.from(least, most) * this.lengthFactor);
  }

  #area(): string {
    return this.dice.pick(AREAS);
  }

  #name(): string {
    this.#made += 1;
    return `${this.dice.pick(["cursor", "batch", "quota", "mirror", "lease", "digest"])}-${this.#made}`;
  }
}

function bash(words: string, description: string): ScriptedCall {
  return { name: "bash", input: { command: `sh tools/dev ${words}`, description } };
}

function fileName(words: string): string {
  return words.replace(/[^A-Za-z0-9]/g, "-");
}
