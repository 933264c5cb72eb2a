// The file system, asked in place or by threads.
import * as fs from "node:fs";
import { promisify } from "node:util";

type MaybePromise<T> = T | Promise<T>;

/** The file system, asked in one of two ways. */
export interface Disk {
  open(path: string, flags: number): MaybePromise<number>;
  stat(file: number): MaybePromise<fs.BigIntStats>;
  lstat(path: string): MaybePromise<fs.BigIntStats>;
  realpath(path: string): MaybePromise<string>;
  /** Fills `into` from index `at` on with what stands at `position`; gives how many bytes came, 0 at the end. */
  read(file: number, into: Buffer, at: number, position: number): MaybePromise<number>;
  close(file: number): MaybePromise<void>;
}

/** Answers at once; only for disks of this machine, as one that hangs would hang the host. */
export const inPlace: Disk = {
  open: fs.openSync,
  stat: (file) => fs.fstatSync(file, { bigint: true }),
  lstat: (path) => fs.lstatSync(path, { bigint: true }),
  realpath: (path) => fs.realpathSync(path),
  read: (file, into, at, position) => fs.readSync(file, into, at, into.length - at, position),
  close: fs.closeSync,
};

const [open, stat, read] = [promisify(fs.open), promisify(fs.fstat), promisify(fs.read)];

/** Takes as long as it takes, and holds nobody up. */
export const byThread: Disk = {
  open: (path, flags) => open(path, flags),
  stat: (file) => stat(file, { bigint: true }),
  lstat: (path) => fs.promises.lstat(path, { bigint: true }),
  realpath: (path) => fs.promises.realpath(path),
  read: async (file, into, at, position) =>
    (await read(file, into, at, into.length - at, position)).bytesRead,
  close: promisify(fs.close),
};
