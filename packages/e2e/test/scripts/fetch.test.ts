import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const SCRIPTS = join(import.meta.dir, "../../../../scripts");
const NOTES = join(SCRIPTS, "../node_modules/.cache/session-runtime");
/** Asks for a file of a package that only the npm of these tests has. */
const SCRIPT = `
  const { fetchedFile } = await import(${JSON.stringify(join(SCRIPTS, "fetch/package-cache.mjs"))});
  const integrity = process.argv[1] || undefined;
  try {
    console.log(fetchedFile({
      name: "@test/fetched", version: "0.0.1", file: "bin/program", title: "Program", megabytes: 10, integrity,
    }));
  } catch (error) { console.log("failed: " + error.message); }
`;

let root: string;
const note = join(NOTES, "@test-fetched-0.0.1");

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "session-runtime-fetch-"));
  mkdirSync(join(root, "package/bin"), { recursive: true });
  writeFileSync(join(root, "package/bin/program"), "#!/bin/sh\n");
  mkdirSync(join(root, "programs"));
  writeFileSync(
    join(root, "programs/npm"),
    `#!/bin/sh\n[ -n "$NO_NETWORK" ] && { echo "getaddrinfo ENOTFOUND" >&2; exit 1; }\n` +
      `echo "$@" >> '${root}/calls'\ntar czf fetched.tgz -C '${root}' package\n`,
  );
  chmodSync(join(root, "programs/npm"), 0o755);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function ask(cache: string, env: Record<string, string>, integrity: string) {
  rmSync(note, { force: true });
  return askAgain(cache, env, integrity);
}

/** As another command of the same clone does. */
function askAgain(cache: string, env: Record<string, string>, integrity: string) {
  const { stdout, stderr } = Bun.spawnSync(
    ["node", "--input-type=module", "-e", SCRIPT, ...(integrity === "" ? [] : [integrity])],
    {
      env: {
        PATH: [join(root, "programs"), process.env.PATH].join(delimiter),
        XDG_CACHE_HOME: join(root, cache),
        ...env,
      },
    },
  );
  rmSync(join(root, "calls"), { force: true });
  return { found: stdout.toString().trim(), said: stderr.toString() };
}

test("a program is fetched once, with its size and a time, and is found afterwards", () => {
  const first = ask("once", {}, "");
  expect(first.said).toContain(
    "Fetching Program 0.0.1 (10 MB, once; about 2 s at 5 MB a second) …",
  );
  expect(existsSync(first.found)).toBe(true);
  expect(first.found).toEndWith("/session-runtime/programs/@test-fetched-0.0.1/bin/program");
  expect(ask("once", { NO_NETWORK: "1" }, "")).toEqual({ found: first.found, said: "" });
  rmSync(note);
});

test("a command with a home of its own finds what its clone has fetched", () => {
  const { found } = ask("here", {}, "");
  expect(askAgain("elsewhere", { NO_NETWORK: "1" }, "")).toEqual({ found, said: "" });
  rmSync(note);
});

test("without a network the reason is said, and nothing is left", () => {
  const { found, said } = ask("offline", { NO_NETWORK: "1" }, "");
  expect(found).toBe("failed: @test/fetched@0.0.1 could not be fetched; the reason stands above.");
  expect(said).toContain("check the network and the registry.\ngetaddrinfo ENOTFOUND");
  expect(existsSync(join(root, "offline/session-runtime/programs/@test-fetched-0.0.1"))).toBe(
    false,
  );
});

test("a package whose digest is another is not unpacked", () => {
  const { found, said } = ask("digest", {}, "sha512-AAAA");
  expect(found).toStartWith("failed: ");
  expect(said).toContain("is not what this clone expects");
  expect(existsSync(join(root, "digest/session-runtime/programs/@test-fetched-0.0.1"))).toBe(false);
});
