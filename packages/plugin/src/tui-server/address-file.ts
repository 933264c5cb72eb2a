// The file that names a channel's port and token to its user alone.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseFields } from "../context/fields.ts";
import { type PathEnvironment, resolveDatabasePath } from "../storage/location.ts";
import {
  type ChannelAddress,
  type ChannelId,
  PROTOCOL_VERSION,
  parseChannelId,
} from "./protocol.ts";

// The folder that holds the address files.

/** Returns the folder of the address files, which is beside the database. */
export function resolveChannelFolder(surroundings: PathEnvironment): string {
  return join(dirname(resolveDatabasePath(surroundings)), "channels");
}

/** The result of reading the address that a server has named. */
export type AddressLookupResult =
  | { readonly kind: "found"; readonly address: ChannelAddress }
  /** The server runs on another machine, or with another data folder. */
  | { readonly kind: "missing" }
  /** The address file exists but can't be used. */
  | { readonly kind: "unusable"; readonly reason: string };

/** Writes the address for this user alone to read. @throws if it can't be written. */
export function writeAddress(folder: string, address: ChannelAddress): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A folder that somebody made by hand may be open to others.
  chmodSync(folder, 0o700);
  writeFileSync(toAddressPath(folder, address.id), JSON.stringify(address), {
    mode: 0o600,
    flag: "wx",
  });
}

export function removeAddress(folder: string, id: ChannelId): void {
  rmSync(toAddressPath(folder, id), { force: true });
}

/** Removes the address files of processes that have ended without removing theirs. */
export function removeStaleFiles(folder: string, isRunning: (pid: number) => boolean): void {
  for (const name of readdirSync(folder)) {
    const id = parseChannelId(name.replace(/\.json$/, ""));
    if (!id) continue;
    const found = readAddressFile(folder, id);
    if (found.kind === "found" && !isRunning(found.address.pid)) removeAddress(folder, id);
  }
}

export function readAddressFile(folder: string, id: ChannelId): AddressLookupResult {
  const file = toAddressPath(folder, id);
  try {
    const { mode, uid } = statSync(file);
    // Anyone else who may write to this folder could lead the terminal UI to a server of their own.
    const isForeign = process.getuid !== undefined && uid !== process.getuid();
    if (process.platform !== "win32" && (isForeign || (mode & 0o077) !== 0)) {
      return {
        kind: "unusable",
        reason: `${file} belongs to another user, or other users can read it`,
      };
    }
    const address = parseAddress(readFileSync(file, "utf8"), id);
    return address
      ? { kind: "found", address }
      : { kind: "unusable", reason: `${file} is from another version of Session Runtime` };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT") return { kind: "missing" };
    return { kind: "unusable", reason: `${file} can't be read (${code ?? String(error)})` };
  }
}

function toAddressPath(folder: string, id: ChannelId): string {
  return join(folder, `${id}.json`);
}

function parseAddress(text: string, id: ChannelId): ChannelAddress | null {
  const { protocol, pid, port, token } = parseFields(text) ?? {};
  if (protocol !== PROTOCOL_VERSION || !isPort(port) || !Number.isInteger(pid)) return null;
  if (typeof token !== "string" || !/^[0-9a-f]{64}$/.test(token)) return null;
  return { protocol: PROTOCOL_VERSION, id, pid: Number(pid), port, token };
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
}
