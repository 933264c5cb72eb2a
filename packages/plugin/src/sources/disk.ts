// The file system, read synchronously or by threads.
import * as fs from "node:fs";
import { promisify } from "node:util";

type MaybePromise<T> = T | Promise<T>;

/** Reads the file system, synchronously or by threads. */
export interface Disk {
  open(path: string, flags: number): MaybePromise<number>;
  stat(file: number): MaybePromise<fs.BigIntStats>;
  lstat(path: string): MaybePromise<fs.BigIntStats>;
  realpath(path: string): MaybePromise<string>;
  /** Fills `into` from index `at` with bytes from `position`; returns how many came, 0 at the end. */
  read(file: number, into: Buffer, at: number, position: number): MaybePromise<number>;
  close(file: number): MaybePromise<void>;
}

/** Reads synchronously; only for local disks, because a disk that hangs would hang the host. */
export const inPlace: Disk = {
  open: fs.openSync,
  stat: (file) => fs.fstatSync(file, { bigint: true }),
  lstat: (path) => fs.lstatSync(path, { bigint: true }),
  realpath: (path) => fs.realpathSync(path),
  read: (file, into, at, position) => fs.readSync(file, into, at, into.length - at, position),
  close: fs.closeSync,
};

const [open, stat, read] = [promisify(fs.open), promisify(fs.fstat), promisify(fs.read)];

/** Reads by a thread, so that a slow disk blocks nothing. */
export const byThread: Disk = {
  open: (path, flags) => open(path, flags),
  stat: (file) => stat(file, { bigint: true }),
  lstat: (path) => fs.promises.lstat(path, { bigint: true }),
  realpath: (path) => fs.promises.realpath(path),
  read: async (file, into, at, position) =>
    (await read(file, into, at, into.length - at, position)).bytesRead,
  close: promisify(fs.close),
};
