// A real PostgreSQL of the tests' own, in a temporary folder: Debian's package, or what is on the PATH.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { missingTool, systemTool } from "../../../../../scripts/system-tools.mjs";

/** For the title of a test that is skipped; null where there is a server. */
export const missingPostgres = missingTool("postgresql");

const START_TIMEOUT_MS = 30_000;

export class PostgresServer {
  #process: ChildProcess | null = null;
  #stopped: number[] = [];

  private constructor(
    private readonly data: string,
    private readonly port: number,
  ) {}

  static async start(...options: readonly string[]): Promise<PostgresServer> {
    const home = mkdtempSync(join(tmpdir(), "session-runtime-postgres-"));
    const user = serverUser();
    if (user !== null) chownSync(home, user.uid, user.gid);
    const data = join(home, "data");
    const [command, ...args] = asServerUser([
      ...[program("initdb"), "-D", data, "-U", "owner", "-A", "trust"],
      ...["--no-sync", "--locale=C", "-E", "UTF8"],
    ]);
    const made = spawnSync(command, args, { cwd: home, encoding: "utf8" });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    const server = new PostgresServer(data, await freePort());
    await server.begin(...options);
    return server;
  }

  /** Starts it again where it was killed. */
  async begin(...options: readonly string[]): Promise<void> {
    const settings = {
      ...{ port: this.port, listen_addresses: "127.0.0.1", unix_socket_directories: "" },
      ...{ fsync: "off", shared_buffers: "16MB", max_connections: 80 },
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // A group of its own: all of its processes are killed together.
    const [command, ...words] = asServerUser([
      program("postgres"),
      "-D",
      this.data,
      ...args,
      ...options,
    ]);
    this.#process = spawn(command, words, {
      ...{ cwd: this.data, detached: true, stdio: ["ignore", "ignore", "pipe"] },
    });
    let said = "";
    this.#process.stderr?.on("data", (chunk) => {
      said += String(chunk);
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!said.includes("ready to accept connections")) {
      if (Date.now() > deadline || this.#process.exitCode !== null) {
        throw new Error(`PostgreSQL doesn't start: ${said.slice(-2_000)}`);
      }
      await Bun.sleep(20);
    }
  }

  address(role = "owner", database = "postgres"): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  /** As a power cut would: nothing is written to disk, no connection is closed. */
  async kill(): Promise<void> {
    const { pid } = this.#process ?? {};
    if (this.#process === null || pid === undefined || this.#process.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#process?.once("exit", resolve));
    process.kill(-pid, "SIGKILL");
    // Those that run end by themselves when the first is gone.
    for (const one of this.#stopped.splice(0)) process.kill(one, "SIGKILL");
    await gone;
    this.#process = null;
  }

  /** It takes connections, and answers nobody: as on a machine that hangs. Until it is killed. */
  hang(): void {
    const { pid } = this.#process ?? {};
    if (pid === undefined) throw new Error("it doesn't run");
    // Each connection's process has a session of its own, so that none is in the group.
    this.#stopped = [...listChildPids(pid)];
    for (const one of [pid, ...this.#stopped]) process.kill(one, "SIGSTOP");
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(join(this.data, ".."), { recursive: true, force: true });
  }
}

function listChildPids(pid: number): readonly number[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));
}

function program(name: string): string {
  const server = systemTool("postgresql");
  if (server === null) throw new Error("there is no PostgreSQL");
  return join(dirname(realpathSync(server)), name);
}

/** It refuses to run as root; Bun 1.3 starts nothing as another user. */
function asServerUser(words: readonly string[]): readonly [string, ...string[]] {
  const user = serverUser();
  if (user === null) return ["env", ...words];
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return ["setpriv", ...ids, ...words];
}

export function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const [, , uid, gid] =
    users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
