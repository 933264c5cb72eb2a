// `npm run generate` has this write STRUCTURE.md, the map of the source by folder, from the comments that
// files open with, and prints how large the plugin is. `npm run structure -- FOLDER` prints a folder's files instead.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(import.meta.dirname, "..");

const PLUGIN = "packages/plugin/src";

/** The sections of the map, and the folder that each covers. */
const SECTIONS = [
  { title: "The plugin", folder: PLUGIN },
  { title: "The edge to Pi", folder: "packages/pi/src" },
  { title: "The command line", folder: "packages/cli/src" },
  { title: "Test bench, benchmarks and demo", folder: "packages/e2e/src" },
  { title: "Scripts", folder: "scripts" },
];

const INTRODUCTION = `# Structure

A map of the source by folder. [ARCHITECTURE.md](ARCHITECTURE.md) says how the pieces fit together.

Every file opens with a comment that says what it is; \`npm run structure -- packages/plugin/src/features/inbox\` lists a folder's files with theirs. \`npm run generate\` writes this page from those comments, so don't edit it by hand: a folder's line is the comment \`// Folder: …\` in one of its files, the one to start reading at.`;

const TESTS = `## Tests

Each package has its tests in \`test/\`, in folders named like those of \`src/\`. \`packages/plugin/test/model\` checks the invariants on random schedules against a model of the host; \`packages/e2e/test/conformance\` checks the wire on the real host, with golden transcripts; \`packages/plugin/test/*.test.ts\` checks the code's own rules and the documents. \`examples/\` holds plugins that use ours; the tests run them.
`;

/** What a file's opening comment says of the file and of its folder; null where it says nothing. */
function openingComment(path) {
  const text = readFileSync(join(ROOT, path), "utf8").replace(/^#!.*\n/, "");
  if (path.endsWith(".css"))
    return { file: /^\/\* (.+) \*\//.exec(text)?.[1] ?? null, folder: null };
  const comment = (/^(\/\/.*\n)+/.exec(text)?.[0] ?? "").replaceAll(/^\/\/ ?/gm, "");
  const [file, folder] = comment.split("Folder: ").map((part) => part.replaceAll("\n", " ").trim());
  return { file: file || null, folder: folder || null };
}

/** Every file that the map covers, with its comment. */
export function sourceFiles() {
  return SECTIONS.flatMap(({ folder }) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((name) => join(folder, name))
      .filter((path) => /\.(m?[jt]s|css)$/.test(path))
      .sort()
      .map((path) => ({ path, ...openingComment(path) })),
  );
}

/** What is wrong with the files' comments, a sentence each. */
export function commentFaults(files) {
  const undescribed = files
    .filter(({ file }) => file === null)
    .map(({ path }) => `${path} doesn't open with a comment that says what the file is.`);
  const folders = [...new Set(files.map(({ path }) => dirname(path)))];
  const unclear = folders.flatMap((folder) => {
    const starts = listStarters(folder, files);
    if (starts.length === 1) return [];
    return starts.length === 0
      ? [`No file in ${folder} opens with a comment that has a line "// Folder: …".`]
      : [`${starts.map(({ path }) => path).join(" and ")} both have a line "// Folder: …".`];
  });
  return [...undescribed, ...unclear];
}

function listStarters(folder, files) {
  return files.filter((file) => dirname(file.path) === folder && file.folder !== null);
}

/** STRUCTURE.md as it should be. */
export function structureDocument(files) {
  const sections = SECTIONS.map(({ title, folder }) => {
    const covered = files.filter(({ path }) => path.startsWith(`${folder}/`));
    const folders = [...new Set(covered.map(({ path }) => dirname(path)))].sort();
    const lines = folders.flatMap((each) => listStarters(each, covered).map(folderLine));
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return [INTRODUCTION, ...sections, TESTS].join("\n\n");
}

function folderLine({ path, folder }) {
  return `- \`${dirname(path)}/\`: ${folder} Start at [\`${basename(path)}\`](${path}).`;
}

async function main(folder) {
  const files = sourceFiles();
  if (folder !== undefined) {
    const prefix = `${folder.replace(/\/+$/, "")}/`;
    const listed = files.filter(({ path }) => path.startsWith(prefix));
    if (listed.length === 0) {
      console.error(`${folder} has no source file: STRUCTURE.md names the folders.`);
      process.exitCode = 1;
    }
    for (const { path, file } of listed) {
      console.log(`${path.slice(prefix.length)}: ${file ?? "no opening comment"}`);
    }
    return;
  }
  const faults = commentFaults(files);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else writeFileSync(join(ROOT, "STRUCTURE.md"), structureDocument(files));
  // The compiler takes its time to load: who asks for a folder's files has no use for it.
  const { sizeLine } = await import("./size.mjs");
  console.log(`${PLUGIN}: ${sizeLine(join(ROOT, PLUGIN))}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
