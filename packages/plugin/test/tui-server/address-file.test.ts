import { expect, spyOn, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Server } from "node:http";
import { join } from "node:path";
import {
  readAddressFile,
  removeStaleFiles,
  writeAddress,
} from "../../src/tui-server/address-file.ts";
import {
  type ChannelId,
  formatAnswer,
  formatGreeting,
  type GreeterId,
  parseAnnouncement,
  parseChannelId,
  parseGreeter,
} from "../../src/tui-server/protocol.ts";
import { ChannelStage, content } from "./stage.ts";

const stage = new ChannelStage();
const ID = "0123456789abcdef0123456789abcdef" as ChannelId;
const ME = "e".repeat(32) as GreeterId;
const TOKEN = "f".repeat(64);
const address = { protocol: 2, id: ID, pid: process.pid, port: 4711, token: TOKEN };

test("the address is for its user alone: the file has mode 0600, its folder 0700, whatever it had before", () => {
  const folder = stage.folder();
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeAddress(folder, address);
  expect(statSync(join(folder, `${ID}.json`)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readAddressFile(folder, ID)).toEqual({ kind: "found", address });
});

test("an address is never written into a file that is there, such as a link to another one", () => {
  const folder = stage.folder();
  mkdirSync(folder, { recursive: true });
  const other = join(folder, "other");
  writeFileSync(other, "precious");
  symlinkSync(other, join(folder, `${ID}.json`));
  expect(() => writeAddress(folder, address)).toThrow("EEXIST");
  expect(readFileSync(other, "utf8")).toBe("precious");
});

test.skipIf(process.getuid?.() !== 0)(
  "an address that belongs to another user is not used (as root, who can make one)",
  () => {
    const folder = stage.folder();
    writeAddress(folder, address);
    chownSync(join(folder, `${ID}.json`), 65_534, 65_534);
    expect(readAddressFile(folder, ID).kind).toBe("unusable");
  },
);

test("an address that others can read or write is not used", () => {
  const folder = stage.folder();
  writeAddress(folder, address);
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(join(folder, `${ID}.json`), mode);
    expect(readAddressFile(folder, ID).kind).toBe("unusable");
  }
});

test("folders that are made on the way are for the user alone, too", () => {
  const folder = stage.folder();
  writeAddress(join(folder, "made/channels"), address);
  expect(statSync(join(folder, "made")).mode & 0o777).toBe(0o700);
});

test("an address of another version, or that is none, is not used", () => {
  const folder = stage.folder();
  mkdirSync(folder, { recursive: true });
  const write = (text: string) => writeFileSync(join(folder, `${ID}.json`), text, { mode: 0o600 });
  const bad = [
    JSON.stringify({ ...address, protocol: 3 }),
    JSON.stringify({ ...address, port: 70_000 }),
    JSON.stringify({ ...address, port: 0 }),
    JSON.stringify({ ...address, pid: 1.5 }),
    JSON.stringify({ ...address, token: "short" }),
    JSON.stringify({ ...address, token: "f".repeat(63) }),
    JSON.stringify({ ...address, token: "f".repeat(65) }),
    JSON.stringify({ ...address, token: "" }),
    "null",
    "{",
    "",
  ];
  for (const text of bad) {
    write(text);
    expect([text, readAddressFile(folder, ID).kind]).toEqual([text, "unusable"]);
  }
});

test("a file that is not there says that the server is elsewhere", () => {
  expect(readAddressFile(stage.folder(), ID)).toEqual({ kind: "missing" });
});

test("what can't be read in a file's place is not used, and the reason has the error's code", () => {
  const folder = stage.folder();
  mkdirSync(join(folder, `${ID}.json`), { recursive: true, mode: 0o700 });
  expect(readAddressFile(folder, ID)).toMatchObject({
    kind: "unusable",
    reason: expect.stringContaining("can't be read (EISDIR)"),
  });
});

test("files of processes that have ended go when a channel opens; those of others stay", async () => {
  const folder = stage.folder();
  writeAddress(folder, { ...address, pid: 999_999 });
  const first = await stage.open(content, folder);
  const second = await stage.open(content, folder);
  const names = [first, second].map(({ channel }) => `${channel.id}.json`);
  expect(readdirSync(folder).sort()).toEqual(names.sort());
});

test("clearing up leaves alone what is not an address file", () => {
  const folder = stage.folder();
  writeAddress(folder, address);
  writeFileSync(join(folder, "notes.json"), "{}");
  removeStaleFiles(folder, () => false);
  expect(readdirSync(folder)).toEqual(["notes.json"]);
});

test("clearing up leaves alone an address file that it can't read: a newer version may listen there", () => {
  const folder = stage.folder();
  mkdirSync(folder, { recursive: true });
  const newer = JSON.stringify({ ...address, protocol: 3, pid: 999_999 });
  writeFileSync(join(folder, `${ID}.json`), newer, { mode: 0o600 });
  removeStaleFiles(folder, () => false);
  expect(readdirSync(folder)).toEqual([`${ID}.json`]);
});

test("a channel that closes takes its file away, and nobody is answered any more", async () => {
  const { channel, address: open, folder } = await stage.open(content);
  channel.close();
  expect(existsSync(join(folder, `${channel.id}.json`))).toBe(false);
  const asked = fetch(`http://127.0.0.1:${open.port}/v2/ses_one/status`);
  await expect(asked).rejects.toThrow();
});

test("a channel that can't write its address listens no longer", async () => {
  const folder = stage.folder();
  writeFileSync(folder, "in the way");
  const closed = spyOn(Server.prototype, "close");
  await expect(stage.open(content, folder)).rejects.toThrow();
  expect(closed).toHaveBeenCalledTimes(1);
  closed.mockRestore();
});

test("every channel has an id, a port and a token of its own", async () => {
  const [one, two] = [await stage.open(content), await stage.open(content)];
  expect(one.address.id).not.toBe(two.address.id);
  expect(one.address.token).not.toBe(two.address.token);
  expect(one.address.port).not.toBe(two.address.port);
});

test("an answer on the bus is for the one who greeted, and names nothing that could be a path", () => {
  expect(parseGreeter(formatGreeting(ME))).toBe(ME);
  expect(parseGreeter("session.list")).toBeNull();
  expect(parseAnnouncement(formatAnswer(ID, ME), ME)).toBe(ID);
  expect(parseAnnouncement(formatAnswer(ID, "0".repeat(32) as GreeterId), ME)).toBeNull();
  for (const name of ["../../etc/passwd", `${ID}/..`, ID.toUpperCase(), ""]) {
    expect(parseChannelId(name)).toBeNull();
    expect(parseGreeter(`session-runtime.hello.${name}`)).toBeNull();
    expect(parseAnnouncement(`session-runtime.channel.${name}.${ME}`, ME)).toBeNull();
  }
});
