// `npm run generate` has this write the table of layers in LAYERS.md: what each is, from its files' opening
// comments, and what it imports, from its imports.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { listImports } from "./imports.mjs";
import { root } from "./install.mjs";
import { sourceFiles } from "./structure.mjs";

const SOURCES = "packages/plugin/src";
const PAGE = "LAYERS.md";
const MARKED = /(<!-- layers -->\n)[\s\S]*?(\n<!-- \/layers -->)/;
/** Of a feature that gives no more than so many files to another, these are named. */
const FILES_AT_MOST = 3;

/** The page with the table of the present sources. */
export function withLayers(page, files = pluginFiles()) {
  if (!MARKED.test(page)) throw new Error(`${PAGE} has no place between <!-- layers --> marks.`);
  return page.replace(MARKED, (_, before, after) => `${before}\n${layersTable(files)}\n${after}`);
}

/** Every source file of the plugin, by its path below the sources, with its comment and what it imports. */
export function pluginFiles() {
  const below = (path) => relative(join(root, SOURCES), path).replaceAll("\\", "/");
  return sourceFiles()
    .filter(({ path }) => path.startsWith(`${SOURCES}/`) && path.endsWith(".ts"))
    .map((one) => ({
      ...one,
      path: below(join(root, one.path)),
      imports: listImports(join(root, one.path))
        .map(below)
        .filter((path) => !path.startsWith("..")),
    }));
}

/** A row for each layer: what lies below the features first, then these, then the entries. */
export function layersTable(files) {
  const layers = [...new Set(files.map(({ path }) => findLayer(path)))].sort(
    (one, other) => rankLayer(one) - rankLayer(other) || one.localeCompare(other),
  );
  const rows = layers.map((layer) => {
    const own = files.filter(({ path }) => findLayer(path) === layer);
    return `| \`${layer}${isFile(layer) ? "" : "/"}\` | ${describeLayer(layer, own)} | ${listImporters(layer, own)} |`;
  });
  return ["| layer | what | imports |", "|---|---|---|", ...rows].join("\n");
}

/** `memory` of `memory/text.ts`, `features/memory` of `features/memory/text.ts`, a file of no folder by its own name. */
function findLayer(path) {
  return /^features\/[^/]+/.exec(path)?.[0] ?? path.split("/")[0];
}

function isFile(layer) {
  return layer.endsWith(".ts");
}

function isFeature(layer) {
  return layer.startsWith("features/") && !isFile(layer);
}

function rankLayer(layer) {
  if (isFile(layer)) return 2;
  return isFeature(layer) ? 1 : 0;
}

function describeLayer(layer, own) {
  const folder = own.find((one) => dirname(one.path) === layer && one.folder !== null)?.folder;
  return (isFile(layer) ? own[0]?.file : folder) ?? "";
}

function listImporters(layer, own) {
  const paths = [...new Set(own.flatMap(({ imports }) => imports))];
  const others = [...new Set(paths.map(findLayer))].filter((other) => other !== layer);
  const features = others.filter(isFeature).sort();
  const plain = others.filter((other) => !isFeature(other)).sort();
  // The list imports each feature, which says nothing about any.
  if (layer === "features/list.ts") return [...plain, "each feature"].join(", ");
  return [...plain, ...features.map((other) => withFiles(other, paths))].join(", ") || "nothing";
}

/** `memory (table, settings)`: how much of a feature another one knows. */
function withFiles(feature, paths) {
  const names = paths
    .filter((path) => findLayer(path) === feature)
    .map((path) => basename(path, ".ts"))
    .sort();
  const name = feature.replace("features/", "");
  return names.length > FILES_AT_MOST ? name : `${name} (${names.join(", ")})`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, PAGE);
  writeFileSync(path, withLayers(readFileSync(path, "utf8")));
}
