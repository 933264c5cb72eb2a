// Builds the package that is published: packages/plugin/dist, bundled by the host's own Bun, with
// declarations and a manifest of its own. In the repository the plugin runs from its source.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, root } from "./install.mjs";
import { bundle, freshFolder, swapIn } from "./packaging/bundle.mjs";
import { spaceHostImports } from "./packaging/host-imports.mjs";
import { readJson, writeJson } from "./packaging/json-file.mjs";
import { renderLicences } from "./packaging/licences.mjs";
import { withAbsoluteLinks } from "./packaging/links.mjs";
import { isSource, publishedExports, publishedManifest } from "./packaging/manifest.mjs";

const source = join(root, "packages/plugin");

/** What the host brings along, and must not come twice. */
const HOSTS = ["@opencode-ai", "@opentui", "solid-js"];
const COPIED = ["CHANGELOG.md", "LICENSE"];

export async function buildPlugin(target = join(source, "dist")) {
  ensureInstalled();
  // After the installation: these need what was installed.
  const { bundleTypes } = await import("./packaging/types.mjs");
  const manifest = readJson(join(source, "package.json"));
  const paths = publishedExports(manifest.exports).map(([, path]) => path);
  const entries = [...new Set(paths.filter(isSource))];
  const outdir = freshFolder(target);
  try {
    const { inside, outside } = bundle({
      cwd: source,
      entries,
      outdir,
      target: "bun",
      entryNaming: "[name].[ext]",
      external: [...HOSTS.flatMap((name) => [name, `${name}/*`]), "bun:*", "node:*"],
      startModule: "./src/index.ts",
      candidates: Object.keys(manifest.dependencies),
    });
    spaceHostImports(outdir, ["@opentui", "solid-js"]);
    await bundleTypes({ cwd: source, entries, outdir, external: [...HOSTS, "node:"] });
    writeJson(join(outdir, "package.json"), publishedManifest({ manifest, outside }));
    writeFileSync(join(outdir, "THIRD-PARTY-LICENSES"), renderLicences(inside));
    // OpenCode 2 looks for `server.*` and `tui.*` at the root of a local folder, and reads no exports there.
    writeFileSync(join(outdir, "server.js"), 'export { default } from "./index.js";\n');
    for (const name of ["config.schema.json", "members.sql"]) {
      copyFileSync(join(source, name), join(outdir, name));
    }
    const readme = readFileSync(join(root, "README.md"), "utf8");
    writeFileSync(join(outdir, "README.md"), withAbsoluteLinks(readme, manifest));
    for (const name of COPIED) copyFileSync(join(root, name), join(outdir, name));
    swapIn(outdir, target);
    return { target, inside, outside };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { target, inside, outside } = await buildPlugin();
  console.log(`${target}\n  bundled: ${inside.join(", ")}\n  not: ${outside.join(", ") || "none"}`);
}
