import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderPatch, writePatch } from "../../../src/features/maintenance/patch.ts";
import { createProjectFiles } from "../../../src/features/maintenance/project-files.ts";
import { findNamedPaths } from "../../../src/features/maintenance/task.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();

function git(folder: string, ...args: readonly string[]): void {
  const who = ["-c", "user.email=a@b.c", "-c", "user.name=a"];
  execFileSync("git", ["-C", folder, ...who, ...args], { stdio: "pipe" });
}

function repository(files: Readonly<Record<string, string>>): string {
  const folder = workspace.folder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git(folder, "init", "-q");
  git(folder, "add", "-A");
  return folder;
}

describe("the files that memories name", () => {
  test("are found by their paths, and nothing else is taken for one", () => {
    const text =
      "See src/a.ts, ./b/c.json and `README.md`; not https://x.org/d.ts, ../up.ts, /etc/passwd.txt, 1.18.33, and/or, node.";
    expect(findNamedPaths(text)).toEqual(["src/a.ts", "b/c.json", "README.md"]);
  });

  test("Z5: are there, gone, or unknown where it is not clear which is meant", async () => {
    const root = repository({
      ...{ "src/a.ts": "a", "pkg/one/deep.ts": "d", "x/same.ts": "1", "y/same.ts": "2" },
    });
    const found = await createProjectFiles(root).look([
      ...["src/a.ts", "deep.ts", "one/deep.ts", "same.ts", "gone.ts", "old/gone.ts", "z/same.ts"],
    ]);
    expect(Object.fromEntries(found)).toEqual({
      ...{ "src/a.ts": "there", "deep.ts": "there", "one/deep.ts": "there" },
      ...{ "gone.ts": "gone", "old/gone.ts": "gone", "z/same.ts": "gone" },
    });
  });

  test("Z5: are read only within the project, under git, without secrets", async () => {
    const outside = workspace.folder();
    writeFileSync(join(outside, "far.ts"), "far");
    const root = repository({
      "src/a.ts": 'const apiKey = "sk-abcdefghijklmnopqrstuvwx";\nconst port = 1;\n',
      ...{ "deploy/server.key": "k", "bin.ts": "a\0b" },
    });
    writeFileSync(join(root, "untracked.ts"), "u");
    writeFileSync(join(root, ".env"), "HOST=db\n");
    const links = {
      "link.ts": join(outside, "far.ts"),
      "env.md": ".env",
      "key.md": "deploy/server.key",
    };
    const within = { "un.md": "untracked.ts", "a.md": "src/a.ts" };
    for (const [name, target] of Object.entries({ ...links, ...within })) {
      symlinkSync(target, join(root, name));
      git(root, "add", name);
    }
    const texts = await createProjectFiles(root).read([
      ...["src/a.ts", "deploy/server.key", "bin.ts", "untracked.ts", "none.ts"],
      ...Object.keys({ ...links, ...within }),
    ]);
    expect([...texts.keys()]).toEqual(["src/a.ts", "a.md"]);
    expect(texts.get("src/a.ts")).toContain("const port = 1;");
    expect(texts.get("src/a.ts")).not.toContain("sk-abc");
  });

  test("without git what is not at its place is unknown, but for paths with a folder", async () => {
    const root = workspace.folder();
    writeFileSync(join(root, "a.ts"), "a");
    const files = createProjectFiles(root);
    const found = await files.look(["a.ts", "b.ts", "c/d.ts"]);
    expect(Object.fromEntries(found)).toEqual({ "a.ts": "there", "c/d.ts": "gone" });
    expect([...(await files.read(["a.ts"])).values()]).toEqual(["a"]);
  });
});

describe("the patch of documents", () => {
  const before = "# Shop\n\nOne service.\n\nThe ledger rounds.";
  const change = { kind: "document", path: "ARCHITECTURE.md", why: "" } as const;

  test("Z8: is one that git applies, also at an end without a newline", async () => {
    const root = repository({ "ARCHITECTURE.md": before });
    const patch = await renderPatch(
      [
        { ...change, find: "One service.", replace: "Two services." },
        { ...change, find: "The ledger rounds.", replace: "The mailer rounds.\nTwice." },
        { ...change, find: "One service.", replace: "It was there no more." },
      ],
      new Map([["ARCHITECTURE.md", before]]),
    );
    writeFileSync(join(root, "run.patch"), patch);
    git(root, "apply", "run.patch");
    expect(await Bun.file(join(root, "ARCHITECTURE.md")).text()).toBe(
      "# Shop\n\nTwo services.\n\nThe mailer rounds.\nTwice.",
    );
  });

  test("Z8: lies beside the database, for nobody else to read", async () => {
    const database = workspace.path();
    const proposals = [{ ...change, find: "One", replace: "Two" }];
    const texts = new Map([["ARCHITECTURE.md", before]]);
    const file = await writePatch(database, { id: 4 }, proposals, texts);
    expect(file).toEndWith("/upkeep/run-4.patch");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
