// Writes sources with all their mutants in them, by Stryker's mutators.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";

const nothing = () => undefined;
const no = () => false;

/** Stryker's logger, for one who doesn't listen. */
const silent = {
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no },
  ...{ isWarnEnabled: no, isErrorEnabled: no, isFatalEnabled: no },
  ...{ trace: nothing, debug: nothing, info: nothing },
  ...{ warn: nothing, error: nothing, fatal: nothing },
};

/**
 * Writes each file with all its mutants in it, each after a switch, into `folder`. Gives the mutants:
 * `{ id, file, place, line, column, mutator, code, original, replacement }`. Lines and columns count
 * from 1; `place` names a mutant for people, `code` is the line that it is in.
 */
export async function instrument({ root, sources, leftOutMutators }, files, folder) {
  const contents = new Map(
    files.map((path) => [path, readFileSync(join(root, sources, path), "utf8")]),
  );
  const result = await new Instrumenter(silent).instrument(
    [...contents].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: leftOutMutators, ignorers: [] },
  );
  for (const { name, content } of result.files) {
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const wanted = result.mutants.filter(({ status }) => status !== "Ignored");
  return placed(wanted.map((mutant) => described(mutant, contents.get(mutant.fileName))));
}

function described({ id, fileName, mutatorName, location: { start, end }, replacement }, content) {
  const lines = content.split("\n");
  const offset = ({ line, column }) =>
    lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, column);
  return {
    id,
    file: fileName,
    line: start.line + 1,
    column: start.column + 1,
    mutator: mutatorName,
    code: lines[start.line].trim(),
    original: content.slice(offset(start), offset(end)),
    replacement,
    range: [offset(start), offset(end)],
  };
}

/** Several mutants may begin at one place: they are numbered there. */
function placed(mutants) {
  const counts = new Map();
  return mutants.map((mutant) => {
    const at = `${mutant.file}:${mutant.line}:${mutant.column}`;
    const count = (counts.get(at) ?? 0) + 1;
    counts.set(at, count);
    return { ...mutant, place: `${at}#${count}` };
  });
}
