// Bundles the timeline's script for browsers.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pinnedBinary } from "./host-binary.mjs";
import { root } from "./install.mjs";

/** The packages that go into the page's script: their licences go with it. */
export const PAGE_PACKAGES = ["@kurkle/color", "chart.js"];

/** Bundles the script of `timeline --html` for browsers, to be read at run time beside the CLI. */
export function buildTimelinePage(outdir) {
  const args = [
    "build",
    "./src/timeline/page/draw.js",
    `--outfile=${join(outdir, "timeline-page.js")}`,
    "--target=browser",
    "--format=iife",
    "--minify",
  ];
  const { status } = spawnSync(pinnedBinary(), args, {
    cwd: join(root, "packages/cli"),
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, BUN_BE_BUN: "1" },
  });
  if (status !== 0) throw new Error("The time line's script could not be bundled; see above.");
}
