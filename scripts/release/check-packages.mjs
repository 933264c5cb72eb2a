// Packs all packages and checks them by publint and are-the-types-wrong.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "../install.mjs";
import { packAll } from "../pack.mjs";
import { readJson } from "../packaging/json-file.mjs";

/** Packs all packages, checks them, and hands them to `use`; the folder is gone afterwards. */
export async function withCheckedPackages(use) {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-release-"));
  try {
    const { plugin, cli, pi } = await packAll(folder);
    for (const packed of [plugin, cli, pi]) await lint(packed);
    checkTypes(plugin);
    return await use([plugin, cli, pi]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function lint({ folder, name }) {
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
  if (messages.length === 0) return;
  const manifest = readJson(join(folder, "package.json"));
  const said = messages.map((message) => formatMessage(message, manifest)).join("\n");
  throw new Error(`publint on ${name}:\n${said}`);
}

/** The others have no types: nothing imports them. */
function checkTypes({ tarball }) {
  const attw = join(root, "node_modules/.bin/attw");
  const { status, stdout } = spawnSync(attw, ["--profile", "esm-only", tarball], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`are-the-types-wrong:\n${stdout}`);
}
