// Builds the package that is published: packages/plugin/dist, bundled by the host's own Bun, with a
// manifest of its own. In the repository the plugin runs from its source, which is never stale.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, extname, join } from "node:path";
import { hostBinary } from "./host-binary.mjs";
import { ensureInstalled, root } from "./install.mjs";

ensureInstalled();
const source = join(root, "packages/plugin");
const target = join(source, "dist");
const EXTERNAL = ["@opencode-ai/*", "@opentui/*", "bun:*", "node:*"];

const manifest = readJson(join(source, "package.json"));
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const graph = bundle();
const inside = packagesIn(Object.keys(graph.inputs));
const outside = packagesLeftOut(graph);
writeJson(join(target, "package.json"), publishedManifest());
writeFileSync(join(target, "THIRD-PARTY-LICENSES"), inside.map(licenceOf).join("\n"));
for (const file of [join(source, "config.schema.json"), join(root, "LICENSE")]) {
  copyFileSync(file, join(target, basename(file)));
}
for (const name of ["README.md", "CHANGELOG.md"]) {
  if (existsSync(join(root, name))) copyFileSync(join(root, name), join(target, name));
}
console.log(`${target}\n  bundled: ${inside.join(", ")}\n  not: ${outside.join(", ") || "none"}`);

/** Splitting keeps each dynamic import a file of its own: node:sqlite is asked for under Node only. */
function bundle() {
  const graphFile = join(target, "graph.json");
  const entries = Object.values(manifest.exports).filter(isSource);
  const args = [
    "build",
    ...new Set(entries),
    "--outdir=dist",
    "--target=bun",
    "--splitting",
    "--minify-whitespace",
    "--minify-syntax",
    `--metafile=${graphFile}`,
    ...EXTERNAL.map((name) => `--external=${name}`),
  ];
  const { status } = spawnSync(hostBinary(), args, {
    cwd: source,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, BUN_BE_BUN: "1" },
  });
  if (status !== 0) throw new Error("The bundle could not be built; what Bun said stands above.");
  const built = readJson(graphFile);
  rmSync(graphFile);
  return built;
}

function isSource(path) {
  return [".ts", ".tsx"].includes(extname(path));
}

/** What is bundled is no dependency any more: installing the plugin fetches what is left out, if anything. */
function publishedManifest() {
  const { scripts: _, files: __, main, exports, dependencies, ...kept } = manifest;
  const map = (path) => (isSource(path) ? `./${basename(path, extname(path))}.js` : path);
  return {
    ...kept,
    main: map(main),
    exports: Object.fromEntries(Object.entries(exports).map(([key, path]) => [key, map(path)])),
    dependencies: Object.fromEntries(
      Object.entries(dependencies).filter(([name]) => outside.includes(name)),
    ),
  };
}

function packagesIn(paths) {
  const names = paths.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

/** Packages that the bundle still imports by name. */
function packagesLeftOut({ outputs }) {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return Object.keys(manifest.dependencies).filter((name) =>
    imported.some((path) => path === name || path.startsWith(`${name}/`)),
  );
}

/** Licences such as MIT ask that their text goes where the code goes. */
function licenceOf(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = readJson(join(folder, "package.json"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8") : `${license}\n`;
  return `${name} ${version}\n\n${text}`;
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
