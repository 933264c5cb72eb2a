// Reads the session in a file, or says why it is refused.
import { readFileSync } from "node:fs";
import { CliError, EXIT } from "../cli-error.ts";
import { schema } from "../database/schema.ts";
import { typed, updating } from "../invocation.ts";
import { readSessionFile, type SessionFile, type UnreadableFile } from "./file-format.ts";

/** Reads the session in a file; `-` is standard input. @throws CliError */
export function readImport(name: string): SessionFile {
  const read = readSessionFile(readText(name));
  const said = name === "-" ? "Standard input" : name;
  if (read.kind === "unreadable") throw refusedFile(said, read.why);
  const { schemaVersion } = read.file.head;
  if (schemaVersion !== schema.version) {
    throw refusedFile(said, {
      kind: schemaVersion > schema.version ? "newer" : "older",
      message: `it has schema ${schemaVersion}; this version of session-runtime reads ${schema.version}`,
    });
  }
  return read.file;
}

function readText(name: string): string {
  try {
    return readFileSync(name === "-" ? 0 : name, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      "file-unreadable",
      `The file can't be read: ${reason}.`,
      `Name a file that \`${typed("export")}\` has written.`,
      EXIT.missing,
    );
  }
}

function refusedFile(name: string, { kind, message }: UnreadableFile): CliError {
  return new CliError(
    `import-${kind}`,
    `${name} can't be imported: ${message}. Nothing was changed.`,
    formatAdvice(kind),
  );
}

function formatAdvice(kind: UnreadableFile["kind"]): string {
  switch (kind) {
    case "foreign":
      return `Name a file that \`${typed("export")}\` has written.`;
    case "newer":
      return updating();
    case "older":
      return `Run \`${typed("migrate")}\` where it comes from, then export the session again. An export of a development version can't be imported.`;
    case "half":
      return "Copy it again, or export the session again.";
    case "changed":
    case "malformed":
      return "Only an unchanged export can be imported: export the session again.";
  }
}
