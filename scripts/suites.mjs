import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "./host-binary.mjs";
import { root } from "./install.mjs";

/**
 * What `npm test` runs, in order. `counts` says how a suite's passes and failures are read: bun's
 * closing lines, or one check that passes or fails as a whole.
 */
export function suites({ long }) {
  const hostBun = { command: hostBinary(), env: { BUN_BE_BUN: "1" } };
  const plugin = readdirSync(join(root, "packages/plugin/test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !PURE.includes(entry.name))
    .map((entry) => `packages/plugin/test/${entry.name}/`);
  const depth = long ? { SCHEDULES: "20000", LONG: "1" } : {};
  return [
    check("types", "tsc", ["--project", "tsconfig.json"]),
    check("lint", "biome", ["check", "--error-on-warnings", "."]),
    {
      name: "pure layers under the host's Bun, every branch covered",
      counts: "bun",
      ...hostBun,
      args: [
        "test",
        "--preload",
        "./packages/plugin/test/coverage/instrument.ts",
        ...PURE.map((name) => `./packages/plugin/test/${name}/`),
      ],
    },
    {
      name: "plugin under the host's Bun",
      counts: "bun",
      ...hostBun,
      env: { ...hostBun.env, ...depth },
      args: [
        "test",
        ...plugin.map((path) => `./${path}`),
        "./packages/plugin/test/structure.test.ts",
        "./packages/plugin/test/architecture.test.ts",
      ],
    },
    {
      name: "storage under the registry's Bun, with node:sqlite",
      counts: "bun",
      command: registryBun(),
      env: {},
      args: ["test", "./packages/plugin/test/storage/"],
    },
    {
      name: "the real host, end to end",
      counts: "bun",
      ...hostBun,
      env: { ...hostBun.env, ...depth },
      args: ["test", "--timeout", "60000", "./packages/e2e/test/"],
    },
  ];
}

/** The layers whose branch coverage is complete. */
const PURE = ["context", "projection", "coverage"];

function check(name, bin, args) {
  return { name, counts: "whole", command: join(root, "node_modules/.bin", bin), env: {}, args };
}

/** The Bun of the npm registry: newer than the host's, and it has node:sqlite. */
function registryBun() {
  const folder = join(root, "node_modules/@oven");
  const file = process.platform === "win32" ? "bun.exe" : "bun";
  const found = readdirSync(folder)
    .map((name) => join(folder, name, "bin", file))
    .find((path) => existsSync(path));
  if (!found) throw new Error("The registry's Bun is not installed: run `npm ci`.");
  return found;
}
