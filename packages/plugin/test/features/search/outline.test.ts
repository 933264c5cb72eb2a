import { describe, expect, test } from "bun:test";
import { Grammars } from "../../../src/features/search/grammars.ts";
import {
  outlinePlainText,
  renderOutlineLine,
} from "../../../src/features/search/key-file-listing.ts";

const grammars = new Grammars();

const TS = `import { a } from "./a.ts";

/** Keeps carts. */
export class Cart<T> extends Base {
  readonly #items: string[] = [];

  constructor(private readonly deps: Deps) {
    super();
  }

  add(item: string, count = 1): void {
    const inner = () => 1;
    this.#items.push(item);
  }
}

export interface Deps {
  readonly now: () => number;
}

export type Kind = "one" | "two";
export const LIMIT = 50;
export default async function main(
  first: string,
  second: number,
): Promise<void> {
  class Hidden {}
}
const later = (x: number) => x + 1;
enum Colour { red }
`;

describe("HT4: outlines by grammar", () => {
  test("TypeScript: declarations with their members, without bodies and values", async () => {
    expect(await grammars.outline("src/cart.ts", TS)).toEqual([
      "export class Cart<T> extends Base",
      "  constructor(private readonly deps: Deps)",
      "  add(item: string, count = 1): void",
      "export interface Deps",
      'export type Kind = "one" | "two";',
      "export const LIMIT",
      "export default async function main( first: string, second: number, ): Promise<void>",
      "const later",
      "enum Colour",
    ]);
  });

  test("Python, Go, Rust and Java", async () => {
    const python =
      "import os\n\nclass A(B):\n    x = 1\n    def f(self, y):\n        return y\n\n@cached\ndef g():\n    pass\n";
    expect(await grammars.outline("a.py", python)).toEqual([
      "class A(B)",
      "  def f(self, y)",
      "@cached def g()",
    ]);
    const go =
      "package a\n\ntype T struct {\n\tX int\n}\n\nfunc (t *T) Get(k string) error {\n\treturn nil\n}\n";
    const [type, method] = (await grammars.outline("a.go", go)) ?? [];
    expect(type).toStartWith("type T struct");
    expect(method).toBe("func (t *T) Get(k string) error");
    const rust = "pub struct S { a: u8 }\nimpl S {\n    pub fn new(a: u8) -> Self { S { a } }\n}\n";
    expect(await grammars.outline("a.rs", rust)).toEqual([
      "pub struct S",
      "impl S",
      "  pub fn new(a: u8) -> Self",
    ]);
    const java = "class A {\n  private int x;\n  public void run(String s) { }\n}\n";
    expect(await grammars.outline("A.java", java)).toEqual([
      "class A",
      "  public void run(String s)",
    ]);
  });

  test("Go: a type's own members are none of the outline, an interface's neither", async () => {
    const go =
      "package a\n\ntype R interface {\n\tRead(p []byte) (int, error)\n}\n\nvar x = 1\n\nconst Max = 3\n";
    const lines = (await grammars.outline("a.go", go)) ?? [];
    expect(lines[0]).toStartWith("type R interface");
    expect(lines.join("\n")).not.toContain("Read(");
    expect(lines).toContain("const Max");
  });

  test("C++ and PHP", async () => {
    const cpp =
      "#include <x>\nnamespace n {\ntemplate<typename T> class A : public B {\n public:\n  void f(int a) { }\n};\n}\nint main(int argc) { return 0; }\nenum E { A };\n";
    expect(await grammars.outline("a.cpp", cpp)).toEqual([
      "namespace n",
      "  template<typename T> class A : public B",
      "int main(int argc)",
      "enum E",
    ]);
    const php =
      "<?php\nclass B extends C {\n  public $x = 1;\n  public function f(int $a): int { return 1; }\n}\nfunction g() {}\n";
    expect(await grammars.outline("a.php", php)).toEqual([
      "class B extends C",
      "  public function f(int $a): int",
      "function g()",
    ]);
  });

  test("a file that ends in the middle has what stands before", async () => {
    const cut = "export class A {\n  run(): void {}\n  stop(";
    expect(await grammars.outline("a.ts", cut)).toContain("  run(): void");
  });

  test("a language without a grammar has none", async () => {
    expect(await grammars.outline("a.zig", "fn main() void {}")).toBeNull();
  });
});

describe("HT4: outlines read off the lines", () => {
  test("declarations of the first two levels", () => {
    expect(outlinePlainText(TS, false)).toEqual([
      "export class Cart<T> extends Base",
      "export interface Deps",
      'export type Kind = "one" | "two";',
      "export const LIMIT = 50;",
      "export default async function main(",
      "  class Hidden {}",
      "const later = (x: number) => x + 1;",
      "enum Colour { red }",
    ]);
    const python = "class A(B):\n    def f(self, y):\n        def deep():\n            pass\n";
    expect(outlinePlainText(python, false)).toEqual(["class A(B)", "  def f(self, y)"]);
    expect(outlinePlainText("pub(crate) fn main() {\n    let x = 1;\n}\n", false)).toEqual([
      "pub(crate) fn main()",
    ]);
  });

  test("a document by its headings; prose has no outline", () => {
    expect(outlinePlainText("# A\n\ntype of thing\n## B\n#### D\n", true)).toEqual(["# A", "## B"]);
    expect(outlinePlainText("The type of thing that\nwe see.\n", false)).toEqual([]);
  });

  test("members stand up to four spaces in, a tab counted as four, and values at the top alone", () => {
    const text = [
      "class A {",
      "  function two() {",
      "    function four() {",
      "     function five() {",
      "\tfunction tab() {",
      "  \tfunction more() {",
      "  const inner = 1;",
      "const outer = 1;",
      "",
      "classless x",
    ];
    expect(outlinePlainText(text.join("\n"), false)).toEqual([
      ...[
        "class A",
        "  function two()",
        "  function four()",
        "  function tab()",
        "const outer = 1;",
      ],
    ]);
  });

  test("what opens a body is left out at a line's end, and spaces are one", () => {
    const shown = (line: string) => renderOutlineLine(line, 0);
    expect(["f() {", "f():", "f() =", "f() =>", "f() do", "f()   {  "].map(shown)).toEqual(
      Array.from({ length: 6 }, () => "f()"),
    );
    expect(shown("f( a,\n\tb )")).toBe("f( a, b )");
    expect(shown("undo")).toBe("undo");
    expect(renderOutlineLine("f()", 1)).toBe("  f()");
  });

  test("a declaration of 110 characters is shown whole", () => {
    expect(renderOutlineLine("x".repeat(110), 0)).toBe("x".repeat(110));
    expect(renderOutlineLine("x".repeat(111), 0)).toBe(`${"x".repeat(109)}…`);
  });

  test("a long declaration is cut", () => {
    const [line = ""] = outlinePlainText(`function f(${"a, ".repeat(90)}) {`, false);
    expect(line.length).toBe(110);
    expect(line).toEndWith("…");
  });
});
