import { expect, test } from "bun:test";
import {
  chooseProject,
  normalizeRemoteUrl,
  parseFirstCommit,
  toCommitId,
  toFolderId,
  toForkId,
} from "../../src/project/project.ts";

test.each([
  ["git@github.com:acme/shop.git", "github.com/acme/shop"],
  ["ssh://git@github.com:22/acme/shop.git", "github.com/acme/shop"],
  ["https://GitHub.com/acme/shop/", "github.com/acme/shop"],
  ["https://me:p%40ss@github.com/acme/shop.git", "github.com/acme/shop"],
  ["github.com:acme/shop", "github.com/acme/shop"],
  ["git@github.com:/acme/shop.git", "github.com/acme/shop"],
  ["https://github.com/Acme/shop", "github.com/Acme/shop"],
  ["https://evil.example/", "evil.example/"],
  ["https://evil.example", "evil.example/"],
  ["ssh://git@[2001:db8::1]/acme/shop", "[2001:db8::1]/acme/shop"],
  ["git://evil.example:9418/", "evil.example/"],
  ["https://me:p@ss@github.com/acme/shop", "github.com/acme/shop"],
  ["alice@srv:shop.git", "alice@srv/shop"],
  ["mallory@srv:shop.git", "mallory@srv/shop"],
  ["http://localhost:3000/a/b", "localhost:3000/a/b"],
  ["https://host.example:443/git?p=a", "host.example/git?p=a"],
  ["git@[2001:db8::1]:acme/shop", "[2001:db8::1]/acme/shop"],
  ["git@[2001:db8::1]:/acme/shop", "[2001:db8::1]/acme/shop"],
  ["HTTPS://github.com:80/acme/shop.git#main", "github.com/acme/shop"],
  ["ssh://git@srv:2222/shop.git.git", "srv/shop.git"],
  ["git+ssh://srv//acme/shop//", "srv/acme/shop"],
  ["alice@srv:/home/shop", "srv/home/shop"],
  ["srv:a:b", "srv/a:b"],
  ["git+http://srv:3000/shop", "srv/shop"],
  ["httpd://srv:3000/shop", "srv/shop"],
  ["https://host.example:/shop", "host.example/shop"],
  ["  git@github.com:acme/shop  ", "github.com/acme/shop"],
  ["~/shop", null],
  [".", null],
  ["shop", null],
  ["/srv/a:b", null],
  ["/srv/git/shop.git", null],
  ["../shop", null],
  ["file:///srv/git/shop.git", null],
  ["C:\\code\\shop", null],
  ["c:/code/shop", null],
  ["", null],
] as const)("%p leads to %p", (url, place) => {
  expect(normalizeRemoteUrl(url)).toBe(place);
});

test("an address that isn't understood, or is very long, is a place of its own and can be shown", () => {
  const urls = [
    "https://x\ny/z",
    `https://h/${"a".repeat(100_000)}`,
    "weird:://x",
    "-https://h/a",
    "https://h:x/a",
    "https://h:y/a",
    "h:a\u202eb",
    "h:a\nb",
  ];
  const places = urls.map(normalizeRemoteUrl);
  for (const place of places) {
    expect(place).toMatch(/^(?:an address with the hash [0-9a-f]+|[ -~]{1,200})$/);
  }
  expect(new Set([...places, normalizeRemoteUrl("https://h/a")]).size).toBe(urls.length + 1);
});

const root = toCommitId("c0ffee");

test("the first remote seen is the project's own, and each further one is kept apart until it is joined", () => {
  const own = { remote: "h/a", standing: "own" } as const;
  const fork = toForkId("c0ffee", "h/b");
  expect(chooseProject(root, "h/a", [])).toBe(root);
  expect(chooseProject(root, "h/a", [own])).toBe(root);
  expect(chooseProject(root, null, [own])).toBe(root);
  expect(chooseProject(root, "h/b", [own])).toBe(fork);
  expect(chooseProject(root, "h/b", [own, { remote: "h/b", standing: "apart" }])).toBe(fork);
  expect(chooseProject(root, "h/b", [own, { remote: "h/b", standing: "joined" }])).toBe(root);
  expect(chooseProject(toFolderId("/work"), "h/b", [own])).toBe(toFolderId("/work"));
});

test("a fork goes by the same first commit", () => {
  expect(parseFirstCommit(toForkId("c0ffee", "h/b"))).toBe("c0ffee");
  expect(parseFirstCommit(root)).toBe("c0ffee");
  expect(parseFirstCommit(toFolderId("/work"))).toBeNull();
});

test("a folder whose name looks like a project's key goes by no commit", () => {
  expect(parseFirstCommit(toFolderId("/work/commit:c0ffee"))).toBeNull();
});
