import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import { publint } from "publint";
import type { PackResult } from "../../../../scripts/pack.mjs";
import { longTest } from "../long.ts";
import { usePackages } from "./stage.ts";

const ROOT = join(import.meta.dir, "../../../..");
const BIN = join(ROOT, "node_modules/.bin");

/** Ways of importing that attw's profile "esm-only" leaves out. */
const IGNORED = ["node10", "node16-cjs"];

const stage = usePackages();

interface Manifest {
  readonly [key: string]: unknown;
  readonly exports: Readonly<Record<string, string | { types: string; default: string }>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function readManifest({ folder }: PackResult): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

const transpiler = new Bun.Transpiler({ loader: "js" });

function listImports(code: string): readonly string[] {
  return transpiler.scanImports(code.replace(/^#!.*/, "")).map(({ path }) => path);
}

/** Counts the files that a file of a package imports before it runs, itself included. */
function countFilesOfStart(path: string): number {
  const files = new Set([path]);
  for (const file of files) {
    const imports = transpiler.scanImports(readFileSync(file, "utf8"));
    for (const { kind, path: name } of imports) {
      if (kind === "import-statement" && name.startsWith(".")) files.add(join(dirname(file), name));
    }
  }
  return files.size;
}

function run(cwd: string, command: readonly string[], home: string) {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env });
  return { exitCode, out: stdout.toString(), err: stderr.toString() };
}

/** A clean home with a project into which a tarball was installed, without the network. */
function installed(packed: PackResult, name: string): { project: string; home: string } {
  const home = join(stage.folder, name);
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const args = ["install", "--offline", "--no-audit", "--no-fund", packed.tarball];
  const { exitCode, err } = run(project, ["npm", ...args], home);
  if (exitCode !== 0) throw new Error(`npm install: ${err}`);
  return { project, home };
}

/** Entries that are modules, with their files. */
function modules(packed: PackResult) {
  return Object.entries(readManifest(packed).exports).flatMap(([entry, target]) =>
    typeof target === "string" ? [] : [{ entry, ...target }],
  );
}

describe("all packages", () => {
  test("the start of the plugin and of the Pi extension is a handful of files", () => {
    expect(countFilesOfStart(join(stage.plugin.folder, "index.js"))).toBeLessThanOrEqual(8);
    const [edge] = new Bun.Glob("edge-*.js").scanSync({
      cwd: join(stage.pi.folder, "dist"),
      absolute: true,
    });
    expect(countFilesOfStart(String(edge))).toBeLessThanOrEqual(8);
  });

  test("publint has nothing to say, not even a suggestion", async () => {
    for (const { folder } of [stage.plugin, stage.cli, stage.pi]) {
      const { messages } = await publint({
        pkgDir: folder,
        pack: false,
        strict: true,
        level: "suggestion",
      });
      expect(messages).toEqual([]);
    }
  });

  test("installing one fetches no other package, so that none can run a script", () => {
    for (const [name, packed] of [
      ["plugin-alone", stage.plugin],
      ["cli-alone", stage.cli],
      ["pi-alone", stage.pi],
    ] as const) {
      const { project } = installed(packed, name);
      const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
      const packages: Record<string, { hasInstallScript?: boolean }> = lock.packages;
      const fetched = Object.keys(packages).filter((path) => path !== "");
      expect(fetched).toEqual([`node_modules/${packed.name}`]);
      expect(packages[`node_modules/${packed.name}`]?.hasInstallScript).toBeUndefined();
      expect(readManifest(packed).scripts).toBeUndefined();
    }
  });

  test("all have the same version, a licence, the licences of what is bundled, and no source", () => {
    expect(stage.plugin.version).toBe(stage.cli.version);
    expect(stage.plugin.version).toBe(stage.pi.version);
    for (const { files } of [stage.plugin, stage.cli, stage.pi]) {
      for (const name of ["LICENSE", "THIRD-PARTY-LICENSES", "README.md", "CHANGELOG.md"]) {
        expect(files).toContain(name);
      }
      expect(files.filter((path) => /(?<!\.d)\.tsx?$|\.map$|test/.test(path))).toEqual([]);
    }
  });

  test("every link of a README leads out of the package, and one into the repository to a file of its tag", () => {
    for (const { folder, version } of [stage.plugin, stage.cli, stage.pi]) {
      const readme = readFileSync(join(folder, "README.md"), "utf8");
      const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => String(link));
      expect(links.length).toBeGreaterThan(0);
      expect(links.filter((link) => !/^https:\/\//.test(link))).toEqual([]);
      const ours = links.flatMap(
        (link) => /session-runtime\/(?:blob\/)?(v.*)/.exec(link)?.[1] ?? [],
      );
      for (const path of ours) {
        expect(path).toStartWith(`v${version}/`);
        const [file = ""] = path.slice(path.indexOf("/") + 1).split("#");
        expect(existsSync(join(ROOT, file))).toBe(true);
      }
    }
    expect(readFileSync(join(stage.plugin.folder, "README.md"), "utf8")).toContain(
      `](https://raw.githubusercontent.com/session-runtime/session-runtime/v${stage.plugin.version}/docs/pictures/day.svg)`,
    );
  });

  test("nothing of the machine that packed is in them", () => {
    for (const { folder, files } of [stage.plugin, stage.cli, stage.pi]) {
      const texts = files.map((path) => readFileSync(join(folder, path), "utf8"));
      expect(texts.filter((text) => text.includes(ROOT)).length).toBe(0);
    }
  });

  test("their code imports what the runtime has, a peer, or a file of the package, and nothing else", () => {
    for (const packed of [stage.plugin, stage.cli, stage.pi]) {
      const peers = Object.keys(readManifest(packed).peerDependencies ?? {});
      const foreign = packed.files
        .filter((path) => path.endsWith(".js"))
        .flatMap((path) => listImports(readFileSync(join(packed.folder, path), "utf8")))
        .filter((name) => !/^(?:node|bun):/.test(name) && !isBuiltin(name))
        .filter(
          (name) => !packed.files.some((file) => basename(file) === name.replace(/^\.\//, "")),
        )
        .filter((name) => !peers.some((peer) => name === peer || name.startsWith(`${peer}/`)));
      expect([packed.name, ...foreign]).toEqual([packed.name]);
    }
  });

  test("provenance is asked for, and access is public", () => {
    for (const packed of [stage.plugin, stage.cli, stage.pi]) {
      const { publishConfig, repository } = readManifest(packed);
      expect(publishConfig).toEqual({ access: "public", provenance: true });
      expect(repository).toMatchObject({ type: "git" });
    }
  });
});

describe("the plugin's package", () => {
  test("are-the-types-wrong finds each entry typed for every way that it can be imported", () => {
    const args = ["--profile", "esm-only", "--format", "json", stage.plugin.tarball];
    const { exitCode, out } = run(ROOT, ["node", join(BIN, "attw"), ...args], stage.folder);
    const { problems, analysis } = JSON.parse(out);
    expect(Object.keys(analysis.entrypoints)).toContain("./registry");
    // What it lists for CommonJS and for Node 10 is no fault in a package that is ESM, as the host is.
    const found: { resolutionKind: string }[] = Object.values<[]>(problems).flat();
    const faults = found.filter((problem) => !IGNORED.includes(problem.resolutionKind));
    expect(faults).toEqual([]);
    expect(exitCode).toBe(0);
  });

  test("it names the versions of the host that it is made for", () => {
    const { opencode } = readManifest(stage.plugin).engines as { opencode: string };
    expect(opencode).toMatch(/^>=\d+\.\d+\.\d+ <\d+$/);
  });

  test("each module that it exports is there, with its declarations", () => {
    const entries = modules(stage.plugin).map(({ entry }) => entry);
    expect(entries).toEqual(expect.arrayContaining([".", "./server", "./registry", "./inbox"]));
    for (const module of modules(stage.plugin)) {
      expect(stage.plugin.files).toContain(module.types.slice(2));
      expect(stage.plugin.files).toContain(module.default.slice(2));
    }
  });

  test("declarations name no package that the manifest does not, and none of our own files", () => {
    const declared = Object.keys(readManifest(stage.plugin).peerDependencies ?? {});
    for (const { types } of modules(stage.plugin)) {
      const text = readFileSync(join(stage.plugin.folder, types), "utf8");
      const named = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((match) => match[1]);
      const packages = named.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name ?? "")?.[0] ?? "");
      expect(packages.filter((name) => !declared.includes(name))).toEqual([]);
    }
  });

  test("what declarations give as a value is one, and every value has its declaration", async () => {
    for (const { entry, types, default: file } of modules(stage.plugin)) {
      // The host alone has what the terminal UI's module imports.
      if (entry === "./tui") continue;
      const text = readFileSync(join(stage.plugin.folder, types), "utf8");
      const named = [...text.matchAll(/^export \{([^}]*)\};$/gm)].flatMap(([, list]) =>
        String(list)
          .split(",")
          .map((name) => name.trim().replace(/^.* as /, "")),
      );
      const loaded = await import(join(stage.plugin.folder, file));
      expect([entry, ...named.sort()]).toEqual([entry, ...Object.keys(loaded).sort()]);
    }
  });

  longTest("code that uses its types compiles strictly where it is installed", () => {
    const { project } = installed(stage.plugin, "consumer");
    for (const name of ["@opencode-ai", "@types", "undici-types"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
    }
    cpSync(join(import.meta.dir, "../../fixtures/consumer.ts"), join(project, "consumer.ts"));
    for (const module of ["nodenext", "preserve"]) {
      const args = [
        "--noEmit",
        "--strict",
        "--target",
        "es2023",
        "--types",
        "node",
        "--module",
        module,
      ];
      const { out } = run(project, [join(BIN, "tsc"), ...args, "consumer.ts"], dirname(project));
      expect(out).toBe("");
    }
  });
});

describe("the command line's package", () => {
  test("installed from the tarball into a clean home, it runs under Node and says how it is used", () => {
    const { project, home } = installed(stage.cli, "command");
    const command = join(project, "node_modules/.bin/session-runtime");
    const version = run(project, [command, "--version"], home);
    expect(version).toEqual({ exitCode: 0, out: `${stage.cli.version}\n`, err: "" });
    const help = run(project, [command, "--help"], home);
    expect(help.exitCode).toBe(0);
    expect(help.out).toContain("session-runtime setup");
  });
});
