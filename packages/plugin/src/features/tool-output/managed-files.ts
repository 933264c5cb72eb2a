// Stores full outputs in the host's folder under names that nobody guesses, and removes expired ones.
import { lstat, mkdir, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { OutputPlace } from "../../feature-api/feature-context.ts";

/** The letters that the host's own ids use. */
const NAME_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** With 22 letters there are 62^22 names, so nobody can guess one. */
const RANDOM_LETTERS = 22;

/** The number of random bytes that `buildManagedName` takes. */
export const NAME_BYTES = RANDOM_LETTERS;

const MANAGED_NAME_PATTERN = /^tool_[0-9a-f]{12}-sr-[0-9A-Za-z]{22}$/;

/**
 * Builds a name from `tool_`, the time and `-sr-` with random letters. The host's names begin the same way,
 * so its clean-up finds the file; they never contain a hyphen, so ours can be distinguished from them.
 * Nothing of a tool, a call or a session goes into a name.
 * @param random `NAME_BYTES` bytes from a cryptographic source
 */
export function buildManagedName(nowMs: number, random: Uint8Array): string {
  const time = (BigInt(Math.trunc(nowMs)) * 4096n) & 0xffff_ffff_ffffn;
  const letters = Array.from(random, (byte) => NAME_ALPHABET[byte % NAME_ALPHABET.length]).join("");
  return `tool_${time.toString(16).padStart(12, "0")}-sr-${letters}`;
}

export function isManagedName(name: string): boolean {
  return MANAGED_NAME_PATTERN.test(name);
}

type StoreResult =
  | { readonly kind: "kept"; readonly path: string }
  | { readonly kind: "lost"; readonly reason: string };

interface SweepResult {
  readonly removed: number;
  /** Expired files that could not be removed, with the reason. */
  readonly failed: readonly string[];
}

/** The UTF-16 code units encoded at a time: a result of any size takes one buffer of 3 MB. */
const CHUNK_UNITS = 1 << 20;
const BYTES_PER_UNIT = 3;

/** The managed files of this plugin in the host's tool-output folder. */
export class ManagedFiles {
  constructor(
    /** The folder's absolute path. */
    readonly folder: string,
    /** Returns milliseconds since 1970. */
    private readonly now: () => number,
  ) {}

  /** Writes a text to a new file; never throws. A half-written file is removed. */
  async store(text: string): Promise<StoreResult> {
    const path = join(
      this.folder,
      buildManagedName(this.now(), crypto.getRandomValues(new Uint8Array(NAME_BYTES))),
    );
    try {
      await mkdir(this.folder, { recursive: true });
      await writeNew(path, text);
      return { kind: "kept", path };
    } catch (error) {
      await removeIfExists(path);
      return { kind: "lost", reason: describeReason(error) };
    }
  }

  /** Removes our own files that are older than `retentionMs`, and nothing else; never throws. */
  async sweep(retentionMs: number): Promise<SweepResult> {
    const oldest = this.now() - retentionMs;
    const failed: string[] = [];
    let removed = 0;
    for (const name of (await listNames(this.folder)).filter(isManagedName)) {
      const path = join(this.folder, name);
      try {
        const { mtimeMs, isFile } = await readFileKind(path);
        if (!isFile || mtimeMs >= oldest) continue;
        await unlink(path);
        removed += 1;
      } catch (error) {
        // Another process, or the host, may have removed the file first.
        if (readErrorCode(error) !== "ENOENT") failed.push(`${name}: ${describeReason(error)}`);
      }
    }
    return { removed, failed };
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(text.length, CHUNK_UNITS) * BYTES_PER_UNIT);
    for (let at = 0; at < text.length; ) {
      const end = findChunkEnd(text, at);
      const bytes = buffer.write(text.slice(at, end), 0, "utf8");
      await file.writeFile(buffer.subarray(0, bytes));
      at = end;
    }
  } finally {
    await file.close();
  }
}

/** Returns where the chunk ends, which is never between the halves of a surrogate pair. */
function findChunkEnd(text: string, start: number): number {
  const end = Math.min(start + CHUNK_UNITS, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

async function removeIfExists(path: string): Promise<void> {
  await unlink(path).catch(() => "nothing was written, or it can't be removed: it names nothing");
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // The folder doesn't exist, or we may not read it, so nothing in it is ours to remove.
    return [];
  }
}

async function readFileKind(path: string) {
  const stat = await lstat(path);
  return { mtimeMs: stat.mtimeMs, isFile: stat.isFile() };
}

function describeReason(error: unknown): string {
  return readErrorCode(error) ?? (error instanceof Error ? error.name : typeof error);
}

function readErrorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
}

/** Returns the folder of the host's own outputs, and says how its tools can read them. */
export function resolveHostOutputPlace(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): OutputPlace {
  return {
    folder: resolveHostOutputFolder(env, home),
    howToRead: (path) =>
      `search it by Grep with include "${extractFileName(path)}", or Read it with offset and limit`,
  };
}

/**
 * Returns a path's last part. The host's grep searches the whole folder of a file that it is given; only the
 * name narrows that search down.
 */
function extractFileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Finds the host's tool-output folder as the host does: the host's tools may read there without asking. */
export function resolveHostOutputFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode", "tool-output");
}
