import { describe, expect, test } from "bun:test";
import { absent } from "../../src/context/source.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import { UrlCache, urlCacheDefaults } from "../../src/sources/instruction-urls.ts";
import { createInstructionsSource } from "../../src/sources/instructions.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

function setUp() {
  const world = { nowMs: 0, answer: "one" as string | null | Error, asked: 0 };
  const urls = new UrlCache({
    ...urlCacheDefaults,
    now: () => world.nowMs,
    fetchBytes: async () => {
      world.asked += 1;
      await Bun.sleep(1);
      if (world.answer instanceof Error) throw world.answer;
      return world.answer === null ? null : new TextEncoder().encode(world.answer);
    },
  });
  return { world, urls };
}

describe("instruction addresses", () => {
  test("are fetched at most once a minute, and later only behind a pass", async () => {
    const { world, urls } = setUp();
    expect(await Promise.all([urls.observe("u"), urls.observe("u")])).toEqual(["one", "one"]);
    world.answer = "two";
    world.nowMs = 59_999;
    expect(await urls.observe("u")).toBe("one");
    expect(world.asked).toBe(1);
    world.nowMs = 60_000;
    expect(await urls.observe("u")).toBe("one");
    await Bun.sleep(10);
    expect(await urls.observe("u")).toBe("two");
    expect(world.asked).toBe(2);
  });

  test("are not fetched again while an answer is still awaited", async () => {
    let nowMs = 0;
    let asked = 0;
    const urls = new UrlCache({
      ...urlCacheDefaults,
      now: () => nowMs,
      fetchBytes: () => {
        asked += 1;
        return asked === 1 ? Promise.resolve(Buffer.from("one")) : new Promise(() => undefined);
      },
    });
    for (const time of [0, 60_000, 120_000, 180_000]) {
      nowMs = time;
      expect(await urls.observe("u")).toBe("one");
    }
    expect(asked).toBe(2);
  });

  test("I8: the last good copy stands, whatever the network does", async () => {
    const { world, urls } = setUp();
    await urls.observe("u");
    for (const failure of [null, new Error("down")]) {
      world.answer = failure;
      world.nowMs += 60_000;
      await urls.observe("u");
      await Bun.sleep(10);
      expect(await urls.observe("u")).toBe("one");
    }
  });

  test("an address that never answered is left out, and told when it first does", async () => {
    const { world, urls } = setUp();
    world.answer = new Error("down");
    expect(await urls.observe("u")).toBeNull();
    world.answer = "back";
    world.nowMs = 60_000;
    expect(await urls.observe("u")).toBeNull();
    await Bun.sleep(10);
    expect(await urls.observe("u")).toBe("back");
  });

  test("I2: after a restart without network, what the session was told stands", async () => {
    const { world, urls } = setUp();
    world.answer = new Error("down");
    const folder = scratchFolder();
    const url = "https://rules.example/x";
    const lastKnown = [{ source: url, content: "told" }];
    const sourceWith = (told: typeof lastKnown | null) =>
      createInstructionsSource({
        scope: {
          directory: folder,
          worktree: folder,
          configDirectory: folder,
          homeDirectory: folder,
          projectFiles: "read",
          claudeFiles: "read",
          configured: () => ["no-address.md", url],
        },
        files: new FileCache(),
        urls,
        lastKnown: () => told,
      });
    expect(await sourceWith(lastKnown).load()).toEqual(lastKnown);
    expect(await sourceWith(null).load()).toBe(absent);
    expect(world.asked).toBe(1);
  });

  test("over HTTP: an answer that comes in pieces is read to its end, one without an end to the limit", async () => {
    const pieces = (texts: Iterable<string>) =>
      async function* () {
        for (const text of texts) {
          yield text;
          await Bun.sleep(1);
        }
      };
    const endless = function* () {
      for (;;) yield "x".repeat(500);
    };
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        new Response(pieces(url.endsWith("/endless") ? endless() : ["a", "b", "c"])()),
    });
    const urls = new UrlCache({ ...urlCacheDefaults, limitBytes: 1_000 });
    const observe = (path: string) => urls.observe(`http://127.0.0.1:${server.port}${path}`);
    expect(await observe("/pieces")).toBe("abc");
    expect(await observe("/endless")).toStartWith("x".repeat(1_000));
    await server.stop(true);
  });

  test("over HTTP: errors and slow servers give nothing, long answers are cut", async () => {
    const server = Bun.serve({
      port: 0,
      fetch: async ({ url }) => {
        if (url.endsWith("/slow")) await Bun.sleep(2_000);
        if (url.endsWith("/bad")) return new Response("no", { status: 500 });
        return new Response(url.endsWith("/long") ? "x".repeat(5_000) : "\uFEFFrules");
      },
    });
    const urls = new UrlCache({ ...urlCacheDefaults, limitBytes: 1_000 });
    const hasty = new UrlCache({ ...urlCacheDefaults, timeoutMs: 50 });
    const address = `http://127.0.0.1:${server.port}`;
    const observe = (path: string) => urls.observe(`${address}${path}`);
    expect(await observe("/good")).toBe("rules");
    expect(await observe("/long")).toBe(
      `${"x".repeat(1_000)}\n[Cut here: the rest, after 1000 bytes, is left out.]`,
    );
    expect(await observe("/bad")).toBeNull();
    expect(await hasty.observe(`${address}/slow`)).toBeNull();
    expect(await urls.observe("http://not a url")).toBeNull();
    await server.stop(true);
  });
});
