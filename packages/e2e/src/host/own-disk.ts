// Runs a command with a folder on a disk of its own: a small or a read-only one.
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// A process in a mount namespace of its own has another disk in a folder's place: nobody else sees it.

/** What a command is prefixed with to have a disk of that size, empty, in the folder's place. */
export function onSmallDisk(folder: string, bytes: number): readonly string[] {
  return inNamespace(`mount -t tmpfs -o size=${bytes},mode=700 none "$0"`, folder);
}

/** What a command is prefixed with to find the folder as it is, on a disk that can only be read. */
export function onReadOnlyDisk(folder: string): readonly string[] {
  return inNamespace(`mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"`, folder);
}

/** Makes the disk of `onReadOnlyDisk` writable, for that process. */
export function makeWritable(pid: number, folder: string): void {
  const remount = ["mount", "-o", "remount,bind,rw", folder];
  const { success, stderr } = Bun.spawnSync(["nsenter", "-t", `${pid}`, "-m", ...remount]);
  if (!success) throw new Error(`The disk stays read-only: ${stderr}`);
}

/** Where a path as a process sees it is found by others. */
export function pathInProcess(pid: number, path: string): string {
  return `/proc/${pid}/root${path}`;
}

/** Why no process can be given a disk of its own here; null where it can. */
export function missingDisks(): string | null {
  const reason = "needs mount namespaces: root on Linux";
  if (!Bun.which("unshare") || !Bun.which("nsenter")) return reason;
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-disk-"));
  const works = [onSmallDisk(folder, 65_536), onReadOnlyDisk(folder)].every(
    (before) => Bun.spawnSync([...before, "true"]).success,
  );
  rmdirSync(folder);
  return works ? null : reason;
}

function inNamespace(mount: string, folder: string): readonly string[] {
  return ["unshare", "--mount", "sh", "-c", `${mount} && exec "$@"`, folder];
}
