import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { measureSize, sizeLine, sizeOfFolder } from "../../../scripts/size.mjs";

const folder = resolve(import.meta.dir, "../src/features/tracing");
const of = (text: string) => measureSize(text, "a.ts");

test.each([
  ['import { a } from "./a.ts";', { statements: 1 }],
  ["for (const a of b) { c(a); d(a); }", { statements: 3 }],
  ["if (a) return b;", { statements: 2 }],
  ["function a() { return () => 1; }", { statements: 2, functions: 2 }],
  ["function a(b: string): void;", { statements: 1 }],
  ["class A { constructor() {} get b() { return 1; } c() {} }", { statements: 2, functions: 3 }],
  ["export const a = 1, b = 2;", { statements: 1, exports: 2 }],
  ['export { a, type B } from "./c.ts";', { statements: 1, exports: 2 }],
  ["export default { a };", { statements: 1, exports: 1 }],
  ["export interface A {}", { statements: 1, exports: 1, types: 1 }],
  ["type A = () => void;", { statements: 1, types: 1 }],
] as const)("%s counts as %p", (text, counted) => {
  const nothing = { statements: 0, functions: 0, exports: 0, types: 0, lines: 0 };
  expect(of(text)).toEqual({ ...nothing, ...counted });
});

test("lines are those of the file, blank ones and comments too", () => {
  expect(of("// a\n\na();\n").lines).toBe(3);
});

test("a folder's size is the sum of its files, and one line says it", () => {
  const { files, statements } = sizeOfFolder(folder);
  expect(files).toBeGreaterThan(2);
  expect(statements).toBeGreaterThan(20);
  const figure = "[\\d,]+";
  const parts = ["statements", "functions", "exports", "types", "lines"].map(
    (one) => `${figure} ${one}`,
  );
  expect(sizeLine(folder)).toMatch(new RegExp(`^${parts.join(", ")} in ${files} files$`));
});
