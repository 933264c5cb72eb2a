// Removes paths, names and secrets from a text.
import { homedir, hostname, userInfo } from "node:os";

/** What stands in every report for something that is nobody's business. */
const SECRET = "[secret]";

const KEY_SHAPES: readonly RegExp[] = [
  // Provider keys and tokens by their well-known beginnings.
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|AKIA|AIza|hf|npm|eyJ)[-_]?[A-Za-z0-9_\-.]{16,}/g,
  // A value behind a telling name: apiKey: "…", TOKEN=…, Authorization: Bearer ….
  /(?<=(?:key|token|secret|passw(?:or)?d|authorization|credential|bearer)["']?\s*[:= ]\s*(?:bearer\s+)?["']?)[^\s"',;{}]{6,}/gi,
  // User and password in an address.
  /(?<=:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/g,
];

export interface Redaction {
  /** Folders to be named by a word instead, longest first. */
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

/** Takes paths, names and what looks like a secret out of a text. */
export function redact(text: string, { folders, names }: Redaction): string {
  let clean = text;
  for (const [path, word] of folders) clean = clean.replaceAll(path, word);
  for (const shape of KEY_SHAPES) clean = clean.replace(shape, SECRET);
  // What is left of absolute paths keeps its last name, which tells a package or a file.
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
