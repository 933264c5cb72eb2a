// The version of all packages, and the next one.
// Folder: Steps of a release.
import { join } from "node:path";
import { root } from "../install.mjs";
import { readJson, writeJson } from "../packaging/json-file.mjs";

/** The packages that are released, always all with one version. */
const PACKAGES = ["packages/plugin", "packages/cli", "packages/pi"];
const STEPS = ["major", "minor", "patch"];

export function currentVersion() {
  const versions = PACKAGES.map((folder) => readJson(join(root, folder, "package.json")).version);
  const [version] = versions;
  if (versions.every((other) => other === version)) return version;
  throw new Error(`The packages are out of step: ${versions.join(", ")}.`);
}

/** The version that `wanted` names: a later one itself, or the step to it. */
export function nextVersion(current, wanted) {
  const numbers = current.split(".").map(Number);
  const step = STEPS.indexOf(wanted);
  if (step >= 0) {
    return numbers
      .map((number, place) => (place < step ? number : place === step ? number + 1 : 0))
      .join(".");
  }
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) {
    throw new Error(`"${wanted}" is neither a version like 1.2.3 nor one of ${STEPS.join(", ")}.`);
  }
  const place = wanted.split(".").findIndex((part, index) => Number(part) !== numbers[index]);
  if (place >= 0 && Number(wanted.split(".")[place]) > numbers[place]) return wanted;
  throw new Error(`${wanted} is not later than ${current}.`);
}

/** Writes the version wherever it stands; gives the paths. */
export function writeVersion(version) {
  for (const folder of PACKAGES) {
    const path = join(root, folder, "package.json");
    writeJson(path, { ...readJson(path), version });
  }
  const lockPath = join(root, "package-lock.json");
  const lock = readJson(lockPath);
  for (const folder of PACKAGES) lock.packages[folder].version = version;
  writeJson(lockPath, lock);
  return [...PACKAGES.map((folder) => `${folder}/package.json`), "package-lock.json"];
}
