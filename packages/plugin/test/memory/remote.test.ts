import { expect, test } from "bun:test";
import { commitId, firstCommitOf, folderId, forkId } from "../../src/memory/ids.ts";
import { placeOfUrl, projectAmong } from "../../src/memory/remote.ts";

test.each([
  ["git@github.com:acme/shop.git", "github.com/acme/shop"],
  ["ssh://git@github.com:22/acme/shop.git", "github.com/acme/shop"],
  ["https://GitHub.com/acme/shop/", "github.com/acme/shop"],
  ["https://me:p%40ss@github.com/acme/shop.git", "github.com/acme/shop"],
  ["github.com:acme/shop", "github.com/acme/shop"],
  ["git@github.com:/acme/shop.git", "github.com/acme/shop"],
  ["https://github.com/Acme/shop", "github.com/Acme/shop"],
  ["/srv/git/shop.git", null],
  ["../shop", null],
  ["file:///srv/git/shop.git", null],
  ["C:\\code\\shop", null],
  ["c:/code/shop", null],
  ["", null],
] as const)("%p leads to %p", (url, place) => {
  expect(placeOfUrl(url)).toBe(place);
});

const root = commitId("c0ffee");

test("the first remote seen is the project's own, and each further one is kept apart until it is joined", () => {
  const own = { remote: "h/a", standing: "own" } as const;
  const fork = forkId("c0ffee", "h/b");
  expect(projectAmong(root, "h/a", [])).toBe(root);
  expect(projectAmong(root, "h/a", [own])).toBe(root);
  expect(projectAmong(root, null, [own])).toBe(root);
  expect(projectAmong(root, "h/b", [own])).toBe(fork);
  expect(projectAmong(root, "h/b", [own, { remote: "h/b", standing: "apart" }])).toBe(fork);
  expect(projectAmong(root, "h/b", [own, { remote: "h/b", standing: "joined" }])).toBe(root);
  expect(projectAmong(folderId("/work"), "h/b", [own])).toBe(folderId("/work"));
});

test("a fork goes by the same first commit", () => {
  expect(firstCommitOf(forkId("c0ffee", "h/b"))).toBe("c0ffee");
  expect(firstCommitOf(root)).toBe("c0ffee");
  expect(firstCommitOf(folderId("/work"))).toBeNull();
});
