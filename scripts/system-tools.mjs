// `node scripts/system-tools.mjs`: finds the programs that some tests drive, and installs the missing
// ones where that needs no question: as root on Debian. Elsewhere it says what to install.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** By tool: the commands that it goes by, the Debian package that brings it, and what is driven with it. */
const TOOLS = {
  tmux: { commands: ["tmux"], debianPackage: "tmux", drives: "the terminal UI" },
  chromium: {
    commands: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    debianPackage: "chromium",
    drives: "HTML pages",
  },
  postgresql: {
    commands: ["postgres"],
    folders: debianPostgres,
    debianPackage: "postgresql",
    drives: "a team's store",
  },
};

/** Absolute path of a tool's program; null where it is not installed. */
export function systemTool(name) {
  const onPath = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const folders = [...(TOOLS[name].folders?.() ?? []), ...onPath];
  const places = TOOLS[name].commands.flatMap((file) => folders.map((each) => join(each, file)));
  return places.find(isProgram) ?? null;
}

/** Debian keeps a server's programs off the PATH, by version; the newest first. */
function debianPostgres() {
  const all = "/usr/lib/postgresql";
  const versions = existsSync(all) ? readdirSync(all).map(Number).filter(Number.isFinite) : [];
  return versions.toSorted((one, other) => other - one).map((one) => join(all, String(one), "bin"));
}

/** What the title of a test that is skipped for want of a tool says; null where the tool is there. */
export function missingTool(name) {
  if (systemTool(name)) return null;
  return `needs ${name}: node scripts/system-tools.mjs installs it or says how`;
}

/** Installs what is missing, where it can; gives the names of what is missing still. */
export function ensureSystemTools() {
  const missing = missingNames();
  if (missing.length === 0) return [];
  if (mayInstall()) install(missing.map((name) => TOOLS[name].debianPackage));
  return missingNames();
}

function missingNames() {
  return Object.keys(TOOLS).filter((name) => systemTool(name) === null);
}

function mayInstall() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

function install(packages) {
  console.log(`Installing ${packages.join(" and ")} with apt-get (once) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args) => spawnSync("apt-get", ["-qq", ...args], { env, stdio: "inherit" }).status;
  const place = () => apt("install", "--yes", "--no-install-recommends", ...packages);
  // The lists of a fresh image are empty, or older than the mirror.
  if (place() !== 0 && apt("update") === 0) place();
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(error.code)) return false;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = ensureSystemTools();
  for (const [name, { drives }] of Object.entries(TOOLS)) {
    const said = missing.includes(name)
      ? `not installed; tests that drive ${drives} are skipped. Install it with your system's package manager.`
      : systemTool(name);
    console.log(`${name}: ${said}`);
  }
  process.exitCode = missing.length === 0 ? 0 : 1;
}
