// What is said of a team's store, and what may pass to it and from it. Pure.
import { describe, expect, test } from "bun:test";
import { describeProblem } from "../../../src/features/team/connection.ts";
import { isTeamSet, STORE_VARIABLE } from "../../../src/features/team/is-set.ts";
import {
  describeOmittedItems,
  type Item,
  isShareable,
  readItem,
} from "../../../src/features/team/item.ts";
import { classifyAccessFault } from "../../../src/features/team/probe.ts";
import { renderSyncState } from "../../../src/features/team/section.ts";
import { parseConfig } from "../../whole-config.ts";

const memory = {
  ...{ kind: "memory", id: "1", project: "p", member: "ann", text: "It is so.", by: "user" },
  ...{ writtenAtMs: 1, category: "ARCHITECTURE", importance: 90, permanence: "permanent" },
  ...{ source: "user", state: { kind: "active" }, changedAtMs: 2, checkedAtMs: 3, usedAtMs: 4 },
};
const note = {
  ...{ kind: "note", id: "2", project: "p", member: null, text: "Do it.", by: "user" },
  ...{ writtenAtMs: 1, doneAtMs: null },
};
const gone = { kind: "gone", id: "3", project: "p", member: "bob" };

/** As this version reads it. */
function read(value: object): Item {
  const item = readItem(value);
  if (item === null) throw new Error("It can't be read.");
  return item;
}

describe("what another machine has written", () => {
  test("is read as it is, and null where it has not our form", () => {
    for (const item of [memory, note, gone]) expect(read(item)).toEqual(item as never);
    for (const odd of [
      ...[null, 7, {}, { ...memory, kind: "other" }, { ...memory, id: "" }],
      ...[
        { ...memory, text: "" },
        { ...memory, text: "x".repeat(20_001) },
      ],
      ...[
        { ...memory, importance: 101 },
        { ...memory, importance: -1 },
      ],
      ...[
        { ...memory, importance: 1.5 },
        { ...note, by: "nobody" },
        { ...gone, member: 7 },
      ],
    ]) {
      expect(readItem(odd)).toBeNull();
    }
  });

  test("of a model is never as important as what a user has written, whatever it says", () => {
    expect(read({ ...memory, source: "session" })).toMatchObject({ importance: 60 });
    expect(read({ ...memory, source: "user" })).toMatchObject({ importance: 90 });
  });

  test("of an earlier version has its source by its author; what the historian found is unproven", () => {
    const { source: _, ...earlier } = memory;
    const by = (author: string, state: object = { kind: "active" }) =>
      read({ ...earlier, by: author, state });
    expect(by("user")).toMatchObject({ source: "user", state: { kind: "active" } });
    expect(by("import")).toMatchObject({ source: "user", importance: 90 });
    expect(by("historian")).toMatchObject({ source: "session", state: { kind: "candidate" } });
    expect(by("historian", { kind: "archived" })).toMatchObject({ state: { kind: "archived" } });
    expect(read({ ...memory, by: "historian", source: "session" })).toMatchObject({
      state: { kind: "active" },
    });
    expect(read({ ...memory, usedAtMs: "never", permanence: "odd" })).toMatchObject({
      ...{ usedAtMs: null, permanence: "ordinary" },
    });
  });
});

describe("what may pass", () => {
  const fits = (value: object) => isShareable(read(value));

  test("is one line within its length, without a secret; a deletion always may", () => {
    expect([fits(memory), fits(note), fits(gone)]).toEqual([true, true, true]);
    expect(fits({ ...memory, text: "Two\nlines." })).toBe(false);
    expect(fits({ ...memory, text: "It is so. " })).toBe(false);
    expect(fits({ ...note, text: "password=correct-horse-7x" })).toBe(false);
    expect(fits({ ...memory, text: "x ".repeat(5_000).trim() })).toBe(false);
  });

  test("what may not is counted, by the way that it was to go", () => {
    expect(describeOmittedItems(1, "not sent to")).toBe(
      "1 item was not sent to the store: it has a secret, a line break or too much text",
    );
    expect(describeOmittedItems(2, "not taken from")).toBe(
      "2 items were not taken from the store: they have a secret, a line break or too much text",
    );
  });
});

describe("how it stands with the store", () => {
  const at = { waiting: 0, reachedAtMs: null, awaySinceMs: null, problem: null };

  test.each([
    [{}, "Not reached yet; nothing to send."],
    [{ waiting: 1 }, "Not reached yet; 1 change waits here."],
    [{ reachedAtMs: 0 }, "In step, reached 2 min ago."],
    [{ reachedAtMs: 0, waiting: 2 }, "2 changes wait, reached 2 min ago."],
    [
      { reachedAtMs: 0, problem: "1 item was left out" },
      "In step, reached 2 min ago. 1 item was left out.",
    ],
    [
      { awaySinceMs: 0, waiting: 2, problem: "no route" },
      "Offline since 2 min ago: no route. Sessions continue with this machine's copy; 2 changes wait here.",
    ],
    [
      { awaySinceMs: 0 },
      "Offline since 2 min ago: no answer. Sessions continue with this machine's copy; nothing to send.",
    ],
  ])("is said in sentences: %j", (given, said) => {
    expect(renderSyncState({ ...at, ...given }, 120_000)).toBe(said);
  });
});

describe("a team's store is set", () => {
  test("by the variable or by the configuration, where memory is on", () => {
    const store = "postgres://ann@db.example/team";
    const config = (memorySettings: object) => parseConfig({ memory: memorySettings });
    expect(isTeamSet(config({}), {})).toBe(false);
    expect(isTeamSet(config({ store }), {})).toBe(true);
    expect(isTeamSet(config({}), { [STORE_VARIABLE]: store })).toBe(true);
    expect(isTeamSet(config({}), { [STORE_VARIABLE]: "" })).toBe(false);
    expect(isTeamSet(config({ store, enabled: false }), { [STORE_VARIABLE]: store })).toBe(false);
  });
});

describe("why the server can't be used", () => {
  const failed = (message: string, more: object = {}) => Object.assign(new Error(message), more);

  test.each([
    ["connect", { code: "ECONNREFUSED" }, "unreachable"],
    ["timeout expired", {}, "unreachable"],
    ["Connection terminated", {}, "unreachable"],
    ["no such user", { code: "28000" }, "login"],
    ["SASL: client password must be a string", {}, "login"],
    ["no database", { code: "3D000" }, "database"],
    ["self-signed certificate", {}, "tls"],
    ["another name", { code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "tls"],
    ["no such file", { code: "ENOENT", syscall: "open" }, "tls"],
    ["no such file", { code: "ENOENT", syscall: "connect" }, "unreachable"],
    ["odd", { code: 7 }, "other"],
  ] as const)("%s, %j: %s", (message, more, fault) => {
    expect(classifyAccessFault(failed(message, more))).toBe(fault);
  });

  test("what is not an error names no fault", () => {
    expect(classifyAccessFault("timeout")).toBe("other");
  });

  test("is said in the server's words, with its code, and with the page where rights are missing", () => {
    expect(describeProblem(failed("no", { code: "42501" }))).toBe(
      "no (42501); docs/team.md has the rights that a member's role needs",
    );
    expect(describeProblem(failed("", { code: 7 }))).toBe("no answer (Error)");
    expect(describeProblem("odd")).toBe("unknown error");
    expect(describeProblem(failed(`${"word ".repeat(100)}`))).toHaveLength(300);
    expect(describeProblem(failed("password=correct-horse-7x"))).toBe("password=[secret] (Error)");
  });
});
