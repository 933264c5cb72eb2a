// Bundles the Pi extension for Node into packages/pi/dist: Pi's loader takes seconds for TypeScript sources.
// The package that is published has that folder, and beside it what a package needs.
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, root } from "./install.mjs";
import { bundle, freshFolder, swapIn } from "./packaging/bundle.mjs";
import { readJson, writeJson } from "./packaging/json-file.mjs";
import { renderLicences } from "./packaging/licences.mjs";

const source = join(root, "packages/pi");
const ENTRY = "session-runtime.js";

export function buildPi(target = join(source, "dist")) {
  ensureInstalled();
  const outdir = freshFolder(target);
  try {
    const { inside } = bundle({
      cwd: source,
      entries: ["./src/index.ts"],
      outdir,
      target: "node",
      // Pi lists an extension by its file's name.
      entryNaming: ENTRY,
      // Pi serves its own packages to extensions.
      external: ["bun:*", "@earendil-works/*"],
      startModule: "./src/edge.ts",
      candidates: [],
    });
    writeFileSync(join(outdir, "THIRD-PARTY-LICENSES"), renderLicences(inside));
    swapIn(outdir, target);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
  return join(target, ENTRY);
}

/** The whole package, as npm would publish it. */
export function buildPiPackage(target) {
  mkdirSync(target, { recursive: true });
  buildPi(join(target, "dist"));
  renameSync(join(target, "dist/THIRD-PARTY-LICENSES"), join(target, "THIRD-PARTY-LICENSES"));
  const { scripts: _, ...manifest } = readJson(join(source, "package.json"));
  writeJson(join(target, "package.json"), {
    ...manifest,
    files: ["dist", "THIRD-PARTY-LICENSES", "CHANGELOG.md"],
    publishConfig: { access: "public", provenance: true },
  });
  copyFileSync(join(source, "README.md"), join(target, "README.md"));
  for (const name of ["CHANGELOG.md", "LICENSE"]) {
    copyFileSync(join(root, name), join(target, name));
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  console.log(buildPi());
}
