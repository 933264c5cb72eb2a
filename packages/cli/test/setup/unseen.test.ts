import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../../src/cli-error.ts";
import { findHost, OPENCODE } from "../../src/host/find-host.ts";
import { refuseUnseen } from "../../src/host/require-host.ts";
import { closing } from "../../src/setup/install.ts";
import type { Part } from "../../src/setup/part.ts";
import type { SetupRequest } from "../../src/setup/request.ts";
import { toPluginCheckResult } from "../../src/setup/try-out.ts";
import type { Terminal } from "../../src/terminal/terminal.ts";
import { makeHome } from "../throwaway-home.ts";

// What did not answer in time is neither missing nor broken.

function slowProgram(): string {
  const path = join(makeHome().path("."), "opencode");
  writeFileSync(path, "#!/bin/sh\nsleep 60\necho 1.18.33\n");
  chmodSync(path, 0o755);
  return path;
}

test("a host that says nothing in time could not be seen, and is not called missing", async () => {
  const path = slowProgram();
  const search = await findHost({ PATH: "/bin", OPENCODE_BIN: path }, OPENCODE, 200);
  expect(search.broken[0]).toEqual({
    path,
    fault: "hangs",
    reason:
      "it was ended with its child processes, because it did not answer `--version` within 0.2 s; this machine may be busy",
  });
  const refused = () => refuseUnseen(search, OPENCODE);
  expect(refused).toThrow(CliError);
  expect(refused).toThrow(
    /^Could not check OpenCode at .*: it was ended .* this machine may be busy\.$/,
  );
});

test("a host that is not there, or that fails, is no late one", () => {
  const broken = [{ path: "/a", fault: "fails", reason: "it ended with exit code 1" }] as const;
  const search = { found: null, looked: ["/a"], others: [] };
  expect(() => refuseUnseen({ ...search, broken: [] }, OPENCODE)).not.toThrow();
  expect(() => refuseUnseen({ ...search, broken }, OPENCODE)).not.toThrow();
});

test("a trial that got no answer in time shows nothing; one that broke off shows a fault", () => {
  const failed = { kind: "failed", reason: "It did not start in time.", log: "" } as const;
  expect(toPluginCheckResult({ ...failed, fault: "hangs" })).toBe("unseen");
  expect(toPluginCheckResult({ ...failed, fault: "fails" })).toBe("does-not");
});

test("setup says of such a trial that it could not be seen, and what comes next", () => {
  const plain = (text: string) => text;
  const style = { good: plain, bad: plain, warn: plain, dim: plain };
  const request = { mode: "yes", scope: "global", hosts: "found" } as unknown as SetupRequest;
  const part = { name: "OpenCode" } as Part;
  const terminal = { style, env: {} } as unknown as Terminal;
  const [said, next] = closing(request, [{ part, works: "unseen" }], true, terminal);
  expect(said).toMatch(
    /^! The config is written, but OpenCode was not seen to use it within 240 s; this machine may be busy\. .* doctor checks again\.$/,
  );
  expect(next).toStartWith("Start OpenCode as usual");
});
