// Bundles the Pi extension for Node into packages/pi/dist: Pi's loader takes seconds for TypeScript sources.
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, root } from "./install.mjs";
import { bundle, freshFolder, swapIn } from "./packaging/bundle.mjs";
import { licencesOf } from "./packaging/licences.mjs";

const source = join(root, "packages/pi");

export function buildPi(target = join(source, "dist")) {
  ensureInstalled();
  const outdir = freshFolder(target);
  try {
    const { inside } = bundle({
      cwd: source,
      entries: ["./src/index.ts"],
      outdir,
      args: [
        "--entry-naming=[name].js",
        "--chunk-naming=[name]-[hash].js",
        "--target=node",
        "--external=bun:*",
        // Pi serves its own packages to extensions.
        "--external=@earendil-works/*",
        // jsonc-parser's "main" is UMD, whose inner requires no bundler follows.
        "--main-fields=module",
        "--main-fields=main",
      ],
      candidates: [],
    });
    writeFileSync(join(outdir, "THIRD-PARTY-LICENSES"), licencesOf(inside));
    swapIn(outdir, target);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
  return join(target, "index.js");
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  console.log(buildPi());
}
