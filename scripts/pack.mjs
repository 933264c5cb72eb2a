// `node scripts/pack.mjs [FOLDER]`: builds all packages and packs them as npm would publish them;
// packed.json in the folder says where they are.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPlugin } from "./build.mjs";
import { buildCli } from "./build-cli.mjs";
import { buildPiPackage } from "./build-pi.mjs";

/** Gives, per package, the folder that was packed and the tarball. */
export async function packAll(destination) {
  mkdirSync(destination, { recursive: true });
  const plugin = join(destination, "plugin");
  const cli = join(destination, "cli");
  const pi = join(destination, "pi");
  await buildPlugin(plugin);
  buildCli(cli);
  buildPiPackage(pi);
  return {
    plugin: packed(plugin, destination),
    cli: packed(cli, destination),
    pi: packed(pi, destination),
  };
}

function packed(folder, destination) {
  const { status, stdout } = spawnSync(
    "npm",
    ["pack", "--json", "--loglevel=error", `--pack-destination=${destination}`],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  if (status !== 0) throw new Error(`npm pack failed in ${folder}; what npm said stands above.`);
  const result = JSON.parse(stdout);
  // npm 12 keys the list by name.
  const [{ name, version, filename, size, files }] = Object.values(result);
  return {
    folder,
    name,
    version,
    tarball: join(destination, filename.replace("@", "").replace("/", "-")),
    bytes: size,
    files: files.map(({ path }) => path),
  };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? "packed");
  const all = await packAll(folder);
  writeFileSync(join(folder, "packed.json"), JSON.stringify(all));
  for (const { name, version, tarball, bytes } of Object.values(all)) {
    console.log(`${name} ${version}: ${tarball} (${Math.ceil(bytes / 1024)} KiB)`);
  }
  console.log(`From any folder: npx --yes ${JSON.stringify(`file:${all.cli.tarball}`)} setup`);
}
