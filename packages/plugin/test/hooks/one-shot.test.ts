// A process that ends with its command is known by its arguments.
import { expect, spyOn, test } from "bun:test";
import { isOneShot, print, stripQuotes } from "../../src/hooks/command.ts";

const of = (...words: readonly string[]) => isOneShot(["bun", "/$bunfs/root/opencode", ...words]);

test("opencode run --command ends with the command", () => {
  expect(of("run", "--command", "ctx-status")).toBe(true);
  expect(of("--print-logs", "run", "--command=ctx-queue", "Text")).toBe(true);
});

test("an answer is a line on standard output, and the process ends well whatever the host makes of it", () => {
  const write = spyOn(process.stdout, "write").mockImplementation(() => true);
  const once = spyOn(process, "once").mockImplementation(() => process);
  const exit = spyOn(process, "exit").mockImplementation((() => undefined) as never);
  print("All is well.");
  expect(write.mock.calls).toEqual([["All is well.\n"]] as never);
  const [event, atExit] = once.mock.calls[0] ?? [];
  expect(String(event)).toBe("exit");
  expect(exit).not.toHaveBeenCalled();
  atExit?.(1);
  expect(exit.mock.calls).toEqual([[0]]);
  for (const spy of [write, once, exit]) spy.mockRestore();
});

test("a server, the terminal UI, and a run that is attached to a server go on", () => {
  expect(of("serve")).toBe(false);
  expect(of()).toBe(false);
  expect(of("run", "Hello")).toBe(false);
  expect(of("--command", "x")).toBe(false);
  expect(of("run", "--attach", "http://127.0.0.1:1", "--command", "ctx-queue")).toBe(false);
  expect(of("run", "--attach=http://127.0.0.1:1", "--command=ctx-queue")).toBe(false);
});

test("the quotes that the host puts around one argument are taken off, others stay", () => {
  expect(stripQuotes('"Now write the tests"')).toBe("Now write the tests");
  expect(stripQuotes('"Say \\"hello\\" to\nall"')).toBe('Say "hello" to\nall');
  expect(stripQuotes('Say "hello"')).toBe('Say "hello"');
  expect(stripQuotes('"One two" "three four"')).toBe('"One two" "three four"');
  expect(stripQuotes("")).toBe("");
});
