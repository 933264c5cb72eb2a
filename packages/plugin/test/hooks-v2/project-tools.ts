// The host's own tools over a scripted session's files: what the model reads, runs, edits and finds.
import type { SessionScript } from "../../../e2e/src/bench/history/session-script.ts";
import type { V2Output } from "../../src/hooks-v2/context.ts";

export function projectTools(script: SessionScript): (name: string, input: object) => V2Output {
  const files = new Map(Object.entries(script.files));
  const ran = new Set<string>();
  const readProjectFile = (path: string) => {
    const text = files.get(path);
    if (typeof text !== "string") throw new Error(`No such file: ${path}`);
    return text;
  };
  return (name, input) => {
    const given = input as Readonly<Record<string, string>>;
    const { filePath = "" } = given;
    switch (name) {
      case "read":
        return { content: numbered(readProjectFile(filePath)) };
      case "write":
        files.set(filePath, given.content ?? "");
        return { content: "Wrote the file." };
      case "edit":
        files.set(
          filePath,
          readProjectFile(filePath).replace(given.oldString ?? "", given.newString ?? ""),
        );
        return { content: "Edited the file." };
      case "bash":
        return { content: run(given.command ?? "") };
      case "grep":
        return { content: found(given.pattern ?? "", given.path ?? "") };
      case "desk_issue":
        return { content: readProjectFile(`.desk/${given.key}.json`) };
      default:
        throw new Error(`The script has no tool ${name}.`);
    }
  };

  /** The second time, what stands in the other file, if there is one. */
  function run(command: string): string {
    const words = command.replace(/^sh tools\/dev /, "");
    const base = `.outputs/${words.replace(/[^A-Za-z0-9]/g, "-")}`;
    const again = ran.has(base) ? files.get(`${base}.again`) : undefined;
    ran.add(base);
    return typeof again === "string" ? again : readProjectFile(`${base}.txt`);
  }

  function found(pattern: string, path: string): string {
    return [...files]
      .filter(([file]) => file.startsWith(path))
      .flatMap(([file, text]) =>
        String(text)
          .split("\n")
          .filter((line) => line.includes(pattern))
          .map((line) => `${file}: ${line}`),
      )
      .join("\n");
  }
}

function numbered(text: string): string {
  return text
    .split("\n")
    .map((line, at) => `${at + 1}: ${line}`)
    .join("\n");
}
