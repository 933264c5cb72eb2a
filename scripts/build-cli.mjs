// Bundles the command line for Node into packages/cli/dist, with the manifest that is published: it
// is TypeScript, which Node 20 can't run.
import { chmodSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildTimelinePage, PAGE_PACKAGES } from "./build-timeline-page.mjs";
import { ensureInstalled, root } from "./install.mjs";
import { bundle, freshFolder, swapIn } from "./packaging/bundle.mjs";
import { readJson, writeJson } from "./packaging/json-file.mjs";
import { renderLicences } from "./packaging/licences.mjs";
import { publishedManifest } from "./packaging/manifest.mjs";

const source = join(root, "packages/cli");

export function buildCli(target = join(source, "dist")) {
  ensureInstalled();
  const manifest = readJson(join(source, "package.json"));
  const outdir = freshFolder(target);
  try {
    const { inside, outside } = bundle({
      cwd: source,
      // The second one is a thread of `estimate`.
      entries: ["./src/main.ts", "./src/estimate/simulator.ts"],
      outdir,
      target: "node",
      entryNaming: "[name].js",
      external: ["bun:*"],
      startModule: null,
      candidates: Object.keys(manifest.dependencies),
    });
    buildTimelinePage(outdir);
    // Not bundled: an old Node has to be able to read it.
    const entry = join(outdir, "session-runtime.js");
    copyFileSync(join(source, "src/entry.js"), entry);
    chmodSync(entry, 0o755);
    writeJson(join(outdir, "package.json"), publishedManifest({ manifest, outside }));
    writeFileSync(
      join(outdir, "THIRD-PARTY-LICENSES"),
      renderLicences([...new Set([...inside, ...PAGE_PACKAGES])].sort()),
    );
    copyFileSync(join(source, "README.md"), join(outdir, "README.md"));
    for (const name of ["CHANGELOG.md", "LICENSE"]) {
      copyFileSync(join(root, name), join(outdir, name));
    }
    swapIn(outdir, target);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
  return join(target, "session-runtime.js");
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  console.log(buildCli());
}
