// What a Node that is too old is told, by the very file that is published.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { bundledCli } from "./command-line.ts";
import { processFolder } from "./process-folder.ts";

setDefaultTimeout(600_000);

function underNode(version: string, ...words: readonly string[]) {
  const preload = join(processFolder(), "node-version.cjs");
  writeFileSync(
    preload,
    `Object.defineProperty(process, "version", { value: ${JSON.stringify(version)} });`,
  );
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    ["node", "--require", preload, bundledCli(), ...words],
    { env: { PATH: process.env.PATH } },
  );
  return { out: stdout.toString(), err: stderr.toString(), exitCode };
}

test.each(["v18.20.8", "v20.11.1"])("Node %s is refused, with what to do", (version) => {
  const { out, err, exitCode } = underNode(version, "doctor");
  expect(out).toBe("");
  expect(err).toContain(`needs Node 20.12 or later; this is Node ${version.slice(1)}`);
  expect(err).not.toContain("This should not have happened");
  expect(exitCode).toBe(4);
});

test("with --json the refusal is JSON", () => {
  expect(JSON.parse(underNode("v18.20.8", "status", "--json").out).error.code).toBe("node-too-old");
});

test("the oldest Node that the manifest takes is let in", () => {
  const oldest = manifest.engines.node.replace(">=", "");
  const { out, exitCode } = underNode(`v${oldest}.0`, "--version");
  expect(out).toBe(`${manifest.version}\n`);
  expect(exitCode).toBe(0);
});

test("nothing is loaded before the version is known: what an old Node lacks would fail first", () => {
  const entry = readFileSync(bundledCli(), "utf8");
  expect(entry).not.toMatch(/^\s*import\s*[{"'*\w]/m);
  const main = readFileSync(join(dirname(bundledCli()), "main.js"), "utf8");
  expect(main).toMatch(/import\s*[{"']/);
});
