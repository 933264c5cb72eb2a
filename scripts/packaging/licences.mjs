// The licence texts of what was bundled.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../install.mjs";
import { readJson } from "./json-file.mjs";

/** Licences such as MIT ask that their text goes where the code goes. */
export function renderLicences(packages) {
  return packages.map(readLicence).join("\n");
}

function readLicence(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = readJson(join(folder, "package.json"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8") : `${license}\n`;
  return `${name} ${version}\n\n${text}`;
}
