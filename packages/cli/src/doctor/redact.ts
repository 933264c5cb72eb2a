// Removes paths, names and secrets from a text.
import { homedir, hostname, userInfo } from "node:os";
import { maskSecrets } from "@session-runtime/opencode/log/secrets";

interface Redaction {
  /** Folders to replace by a word, longest first. */
  readonly folders: readonly (readonly [path: string, word: string])[];
  readonly names: readonly string[];
}

export function redactionFor(directory: string, env: NodeJS.ProcessEnv): Redaction {
  const home = env.HOME || homedir();
  const folders: [string, string][] = [
    [directory, "<project>"],
    [home, "~"],
  ];
  return {
    folders: folders
      .filter(([path]) => path.length > 1)
      .sort(([left], [right]) => right.length - left.length),
    names: [userInfo().username, hostname()].filter((name) => name.length > 2),
  };
}

/** Removes paths, names and apparent secrets from a text. */
export function redact(text: string, { folders, names }: Redaction): string {
  let clean = text;
  for (const [path, word] of folders) clean = clean.replaceAll(path, word);
  clean = maskSecrets(clean);
  // Remaining absolute paths keep their last name, which names a package or a file.
  clean = clean.replace(
    /(?:(?<=file:\/\/)|(?<![\w~>.:/-]))\/(?:[\w.@+~-]+\/)+([\w.@+-]+)/g,
    "<path>/$1",
  );
  for (const name of names)
    clean = clean.replaceAll(new RegExp(`\\b${escaped(name)}\\b`, "g"), "<name>");
  return clean;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
