// An OpenCode plugin that tells the model who is on call, as the project's oncall.json has it:
// {"person": "Ada", "until": "Friday"}. See README.md beside this file.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { absent, registerSourceIn, unavailable } from "@session-runtime/opencode/registry";

/** One Context Source: a key, a value that JSON can hold, and the words for it. */
function oncallSource(directory) {
  return {
    key: "team/oncall",
    load: () => readRoster(join(directory, "oncall.json")),
    baseline: ({ person, until }) => `${person} is on call until ${until}.`,
    update: (previous, { person, until }) =>
      `${person} is on call now, until ${until}; no longer ${previous.person}.`,
    removed: ({ person }) => `Nobody is known to be on call any more, ${person} neither.`,
  };
}

/** No file is an answer: nobody is on call. A broken one is not: what was told stands. */
async function readRoster(path) {
  try {
    const { person, until } = JSON.parse(await readFile(path, "utf8"));
    return { person: String(person), until: String(until) };
  } catch (error) {
    return error.code === "ENOENT" ? absent : unavailable("oncall.json can't be read");
  }
}

export default {
  id: "oncall",
  // OpenCode calls this once for each project directory: the entry is for that directory alone.
  server: async ({ directory }) => {
    const dispose = registerSourceIn(directory, "team/oncall", () => [oncallSource(directory)]);
    return { dispose: async () => dispose() };
  },
};
