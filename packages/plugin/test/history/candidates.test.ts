import { describe, expect, test } from "bun:test";
import { isSuperseded } from "../../src/history/candidate.ts";
import { surveyHistory } from "../../src/history/survey.ts";
import { type HostMessage, isText } from "../../src/ledger/message.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";
import { output, ran, read, SimulatedSession, said, settings, tool } from "./simulation.ts";

/** A session of one prompt and these answers, one call each. */
function answered(...calls: readonly (readonly object[])[]): SimulatedSession {
  const session = new SimulatedSession(null, null);
  session.prompt("Look.");
  for (const parts of calls) session.call(...parts);
  return session;
}

/** What could go of it with so long a tail: why, and how many calls have read it since. */
function going(session: SimulatedSession, keepTokens = 0, claimed: readonly string[] = []) {
  const view = { ...session.view(), claims: new Set(claimed) };
  const { candidates } = surveyHistory(view, settings, keepTokens);
  return session.messages.flatMap(({ parts }) =>
    parts.map(({ id }) => {
      const found = candidates.get(id);
      return found ? `${found.dropReason} ${found.calls}` : "-";
    }),
  );
}

const partIdAt = (session: SimulatedSession, message: number, part = 0) =>
  session.messages[message]?.parts[part]?.id ?? "";
const long = (name: string) => output(name, 4_000);
const word = [said("I see.")];
/** The newest three results stay whatever they are: these are too short to go themselves. */
const three = ["a", "b", "c"].map((name) => ran(`date ${name}`, name));
const words = (count: number) => Array.from({ length: count }, () => word);

describe("what of a history can go by itself", () => {
  test("a result that a call has read goes, with the calls since; what nobody has read stays", () => {
    const session = answered([ran("make", long("make"))], word, word);
    expect(going(session)).toEqual(["-", "spent 2", "-", "-"]);
    expect(going(answered([ran("make", long("make"))]))).toEqual(["-", "-"]);
  });

  test("stays in the tail, to the token", () => {
    const session = answered([ran("make", long("make"))], three, word);
    const { sheet } = surveyHistory(session.view(), settings, 0);
    const after = sheet.totalTokens - (sheet.rows[1]?.end ?? 0);
    expect(going(session, after)[1]).toBe("spent 0");
    expect(going(session, after + 1)[1]).toBe("-");
  });

  test("the newest three results stay, dead or spent, as long as there is a tail", () => {
    const runs = ["a", "b", "c", "d"].map((name) => [ran(name, long(name))]);
    const spent = ["spent 5", "spent 4", "spent 3", "spent 2"];
    expect(going(answered(...runs, word, word))).toEqual(["-", ...spent, "-", "-"]);
    expect(going(answered(...runs, word, word), 1)).toEqual([
      ...["-", "spent 4", "-", "-", "-", "-", "-"],
    ]);
    const again = () => [ran("make", long("make"))];
    const repeated = answered(again(), again(), again(), again(), word);
    expect(going(repeated, 1)).toEqual(["-", "repeated 3", "-", "-", "-", "-"]);
    expect(going(repeated)).toEqual([
      ...["-", "repeated 3", "repeated 2", "repeated 1", "spent 1", "-"],
    ]);
    // In one answer each result counts.
    const together = answered(runs.flat(), word);
    expect(going(together, 1)).toEqual(["-", "spent 0", "-", "-", "-", "-"]);
  });

  test("a result that is repeated or out of date is dead: it goes before it has aged", () => {
    const file = () => read("a.ts", long("a"));
    const twice = answered([file()], [file()], three);
    const kept = ["-", "-", "-", "-"];
    expect(going(twice, 100_000)).toEqual(["-", "repeated 1", ...kept]);
    // In one answer, too, though nobody has read either.
    expect(going(answered([file(), file(), ...three]), 100_000)).toEqual([
      ...["-", "repeated 0", ...kept],
    ]);
    const { candidates } = surveyHistory(twice.view(), settings, 100_000);
    expect([...candidates.values()].map(isSuperseded)).toEqual([true]);
    const spent = surveyHistory(answered([ran("x", long("x"))], word).view(), settings, 0);
    expect([...spent.candidates.values()].map(isSuperseded)).toEqual([false]);
  });

  const edited = () => [tool("edit", { filePath: "a.ts", oldString: "a", newString: "b" }, "done")];

  test("one that is out of date is protected by a quarter of the tail, as the rest of it may be of use", () => {
    const session = answered([read("a.ts", long("a"))], edited(), three, ...words(5));
    const { sheet } = surveyHistory(session.view(), settings, 0);
    const after = sheet.totalTokens - (sheet.rows[1]?.end ?? 0);
    expect(going(session, 4 * after)[1]).toBe("outdated 0");
    expect(going(session, 4 * after + 4)[1]).toBe("-");
    // Calls count from the edit on, not from the read.
    const later = answered([read("a.ts", long("a"))], word, word, edited(), ...words(7));
    expect(going(later)[1]).toBe("outdated 7");
  });

  test("a read of a file stays for six calls after each change of it: whoever changes it reads it between", () => {
    const file = () => [read("a.ts", long("a"))];
    const after = (calls: number) => going(answered(file(), edited(), ...words(calls)))[1];
    expect([after(0), after(5), after(6)]).toEqual(["-", "-", "outdated 6"]);
    // The newest change counts, wherever the first one stands.
    const twice = (calls: number) =>
      going(answered(file(), edited(), ...words(6), edited(), ...words(calls)))[1];
    expect([twice(5), twice(6)]).toEqual(["-", "outdated 13"]);
    // A read that stands once more is not needed, and neither is what a command printed.
    expect(going(answered(file(), edited(), file(), word))[1]).toBe("repeated 1");
    const runs = [[ran("make", long("make"))], [ran("make", long("other"))]];
    expect(going(answered(...runs, word))[1]).toBe("outdated 1");
    // A whole write says all that the file says now.
    const write = tool("write", { filePath: "a.ts", content: "b" }, "done");
    expect(going(answered(file(), [write], word))[1]).toBe("repeated 1");
  });

  test("a command that shows a file is a read of it, by whichever path", () => {
    const shown = (command: string) =>
      going(answered([ran(command, long("a"))], edited(), word))[1];
    for (const command of ["cat a.ts", "sed -n 1,90p ./a.ts", "head -50 a.ts", "rg owl a.ts"]) {
      expect(shown(command)).toBe("-");
    }
    expect(shown("make a.ts")).toBe("spent 2");
    const whole = (filePath: string) => read(filePath, long("a"));
    const paths = ["a.ts", `${settings.directory}/a.ts`];
    for (const path of paths) {
      expect(going(answered([ran("sed -n 1,9p a.ts", long("a"))], [whole(path)], word))[1]).toBe(
        "repeated 1",
      );
      expect(going(answered([whole(path)], [ran("cat a.ts", long("a"))], word))[1]).toBe(
        "repeated 1",
      );
      const change = tool("edit", { filePath: path, oldString: "a", newString: "b" }, "done");
      expect(going(answered([ran("cat a.ts", long("a"))], [change], ...words(6)))[1]).toBe(
        "outdated 6",
      );
    }
    const elsewhere = [ran("cat a.ts", long("a"))];
    expect(going(answered(elsewhere, [whole("/other/a.ts")], word))[1]).toBe("spent 2");
    // A patch names several files.
    const patchText = `*** Update File: ${settings.directory}/a.ts\n+x\n*** Update File: b.ts\n+x`;
    const patched = tool("apply_patch", { patchText }, "done");
    expect(going(answered(elsewhere, [patched], ...words(6)))[1]).toBe("outdated 6");
  });

  test("what the user was asked, with his answer, never goes", () => {
    const asked = () => tool("question", { questions: [{ question: "Which?" }] }, long("answer"));
    expect(going(answered([asked()], ...words(9)))[1]).toBe("-");
    expect(going(answered([asked()], ...words(9)), 1)[1]).toBe("-");
    // Where it is asked the same again with another answer, both are his words.
    const other = tool("question", { questions: [{ question: "Which?" }] }, long("other"));
    expect(going(answered([asked()], [other], word))[1]).toBe("-");
  });

  test("what is asked for again and again is protected twice as long each time, eight times at most", () => {
    const run = () => [ran("make", long("make"))];
    const other = [ran("test", long("test"))];
    const repeatAnswers = (times: number) => {
      const session = answered(...Array.from({ length: times }, run), other, three, word);
      const { sheet } = surveyHistory(session.view(), settings, 0);
      return { session, after: sheet.totalTokens - (sheet.rows[times]?.end ?? 0) };
    };
    for (const [times, doubled] of [
      [1, 1],
      [2, 2],
      [3, 4],
      [4, 8],
      [6, 8],
    ] as const) {
      const { session, after } = repeatAnswers(times);
      expect(going(session, Math.floor(after / doubled))[times]).toStartWith("spent");
      expect(going(session, Math.floor(after / doubled) + 1)[times]).toBe("-");
    }
    // Another answer begins the count again.
    const changed = answered(run(), [ran("make", long("other"))], other, three, word);
    const { sheet } = surveyHistory(changed.view(), settings, 0);
    const after = sheet.totalTokens - (sheet.rows[2]?.end ?? 0);
    expect(going(changed, after)[2]).toStartWith("spent");
  });

  test("an instruction of a skill stays, until it is given again", () => {
    const skill = () => tool("skill", { name: "review" }, long("review"));
    expect(going(answered([skill()], word, word))[1]).toBe("-");
    expect(going(answered([skill()], word, [skill()], word))[1]).toBe("repeated 1");
  });

  test("what another policy claims, and what is hardly longer than its stub, stays", () => {
    const session = answered([ran("make", long("make"))], word);
    expect(going(session, 0, [partIdAt(session, 1)])).toEqual(["-", "-", "-"]);
    expect(going(answered([ran("ls", "a\nb")], word))).toEqual(["-", "-", "-"]);
    const saves = (chars: number) => {
      const { candidates } = surveyHistory(
        answered([ran("ls", "x".repeat(chars))], word).view(),
        settings,
        0,
      );
      return [...candidates.values()].map((one) => one.saves);
    };
    const [first] = Array.from({ length: 400 }, (_, chars) => saves(chars)).flat();
    expect(first).toBe(24);
  });
});

describe("what goes beside results", () => {
  const picture = { type: "file", mime: "image/png", url: "data:", filename: "a.png" };
  const thought = (metadata: object = {}) => ({
    ...{ type: "reasoning", text: "I think. ".repeat(100), metadata },
  });

  /** The first message is a prompt of these parts; another prompt and an answer follow. */
  function prompted(...parts: readonly object[]): SimulatedSession {
    const session = answered(word);
    const [first] = session.messages;
    if (!first) throw new Error("no prompt");
    session.messages[0] = withParts(first, parts);
    session.prompt("Go on.");
    session.call(...word);
    return session;
  }

  const withParts = (message: HostMessage, parts: readonly object[]) =>
    ({
      ...message,
      parts: parts.map((part, at) => ({ id: `p.${at}`, messageID: message.info.id, ...part })),
    }) as unknown as HostMessage;

  test("an attachment of the user's beyond the tail goes, and a line of ours says what it was", () => {
    const session = prompted(said("Look at this."), picture);
    expect(going(session)).toEqual(["-", "spent 2", "-", "-", "-"]);
    const { candidates } = surveyHistory(session.view(), settings, 0);
    const at = { messageId: session.messages[0]?.info.id, partId: "p.1" };
    expect(candidates.get("p.1")?.edits).toEqual([
      { verb: "insert", after: at, text: expect.stringContaining("a.png") } as never,
      { verb: "omit", at } as never,
    ]);
    const [stub] = candidates.get("p.1")?.edits ?? [];
    const stubTokens = stub?.verb === "insert" ? estimateTokens(stub.text) : 0;
    expect(candidates.get("p.1")?.saves).toBe(1_500 - stubTokens);
    expect(going(session, 100_000)[1]).toBe("-");
  });

  test("one that nothing of the user's words would be left beside stays, and so does the newest prompt's", () => {
    expect(going(prompted(picture))[0]).toBe("-");
    expect(going(prompted(picture, { ...said("a reminder"), synthetic: true }))[0]).toBe("-");
    expect(going(prompted(picture, { ...said("a note"), ignored: true }))[0]).toBe("-");
    const newest = new SimulatedSession(null, null);
    newest.prompt("Look.");
    const [prompt] = newest.messages;
    if (!prompt) throw new Error("no prompt");
    newest.messages[0] = withParts(prompt, [said("Look at this."), picture]);
    for (let call = 0; call < 3; call++) newest.call(...word);
    expect(going(newest)[1]).toBe("-");
  });

  test("a text of the user's, and a file in an answer, stay", () => {
    const session = prompted(said("Look. ".repeat(400)), picture);
    expect(going(session)[0]).toBe("-");
    const answer = answered([said("Here."), picture]);
    answer.prompt("Go on.");
    answer.call(...word);
    expect(going(answer)).toEqual(["-", "-", "-", "-", "-"]);
  });

  test("reasoning goes when its turn is over, where the provider is known not to ask for it", () => {
    const signed = { anthropic: { signature: "s" } };
    const turn = (metadata: object = signed) => {
      const session = answered([thought(metadata), ...word], [thought(metadata), ...word]);
      session.prompt("Go on.");
      session.call(thought(metadata), ...word);
      session.call(...word);
      return session;
    };
    const kept = ["-", "-", "-", "-", "-", "-", "-", "-", "-"];
    expect(going(turn())).toEqual(["-", "spent 3", "-", "spent 2", ...kept.slice(4)]);
    const others = [
      {},
      { openai: { itemId: "rs_1" } },
      { openrouter: { reasoning_details: [] } },
      { bedrock: { signature: "s" } },
    ];
    for (const other of others) expect(going(turn(other))).toEqual(kept);
    expect(going(turn(), 100_000)).toEqual(kept);
    const { candidates } = surveyHistory(turn().view(), settings, 0);
    const [first] = candidates.values();
    expect(first?.edits).toMatchObject([{ verb: "omit" }]);
  });

  test("a prompt that joins a running loop does not end its turn, and the newest answer keeps its reasoning", () => {
    const signed = { anthropic: { signature: "s" } };
    const looped = answered(
      [thought(signed), ran("ls", "out")],
      [thought(signed), ran("pwd", "out")],
    );
    looped.prompt("And this.");
    const ofThoughts = (session: SimulatedSession) =>
      [...surveyHistory(session.view(), settings, 0).candidates.values()].filter(({ edits }) =>
        edits.some(({ verb }) => verb === "omit"),
      );
    expect(ofThoughts(looped)).toEqual([]);
    looped.call(thought(signed), ran("date", "out"));
    expect(ofThoughts(looped)).toEqual([]);
    looped.call(...word);
    expect(ofThoughts(looped)).toHaveLength(2);
    const ended = answered([thought(signed), ...word]);
    ended.prompt("Go on.");
    expect(ofThoughts(ended)).toEqual([]);
  });
});

describe("long words beyond the tail", () => {
  const paragraph = (name: string, chars: number) => `${name} `.repeat(chars / (name.length + 1));
  /** An answer of so many characters, with its ends in paragraphs of their own. */
  const closing = (name: string, chars: number) =>
    said(`It begins with ${name}.\n\n${paragraph(name, chars)}\n\nIt ends with ${name}.`);

  /** Closing answers, each after a prompt; what became of each. */
  function closings(keepTokens: number, ...chars: readonly number[]) {
    const session = new SimulatedSession(null, null);
    for (const [at, size] of chars.entries()) {
      session.prompt(`Prompt ${at}.`);
      session.call(closing(`heron${at}`, size));
    }
    session.prompt("And now?");
    const { candidates, sheet } = surveyHistory(session.view(), settings, keepTokens);
    const found = session.messages.flatMap(({ info, parts }) =>
      info.role === "assistant" ? [candidates.get(parts[0]?.id ?? "")] : [],
    );
    return { session, sheet, found, gone: found.map((one) => one?.dropReason ?? "-") };
  }

  test("an old closing answer of 500 tokens or more is shortened; the newest 1,200 tokens of them stand whole", () => {
    expect(closings(0, 2_200, 2_200, 2_200).gone).toEqual(["shortened", "-", "-"]);
    expect(closings(0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000).gone).toEqual(
      Array.from({ length: 6 }, () => "-"),
    );
    // The newest, too, where it is longer by itself.
    expect(closings(0, 400, 8_000).gone).toEqual(["-", "shortened"]);
    const { found, session } = closings(0, 8_000, 8_000, 400);
    const [first] = found;
    const [edit] = first?.edits ?? [];
    const text = edit?.verb === "replace" ? edit.text : "";
    expect(text).toStartWith("It begins with heron0.\n[");
    expect(text).toEndWith("shows them]\nIt ends with heron0.");
    const part = session.messages[1]?.parts[0];
    const before = part && isText(part) ? estimateTokens(part.text) : 0;
    expect(first?.saves).toBe(before - estimateTokens(text));
    expect(first?.calls).toBe(2);
    expect(first && isSuperseded(first)).toBe(false);
  });

  test("in the tail it stands whole, and so does an answer with calls", () => {
    const { sheet } = closings(0, 8_000, 400);
    const after = sheet.totalTokens - (sheet.rows[1]?.end ?? 0);
    expect(closings(after, 8_000, 400).gone).toEqual(["shortened", "-"]);
    expect(closings(after + 1, 8_000, 400).gone).toEqual(["-", "-"]);
    const work = answered([closing("heron", 8_000), ran("true", "")], word, word);
    expect(going(work)).toEqual(["-", "-", "-", "-", "-"]);
  });

  test("what is shortened once stays so", () => {
    const { session, found } = closings(0, 8_000, 8_000, 400);
    session.commit(found.flatMap((one) => one?.edits ?? []));
    expect(surveyHistory(session.view(), settings, 0).candidates.size).toBe(0);
  });

  test("one of many words is shortened part by part, and none of which its ends are nearly all", () => {
    const session = new SimulatedSession(null, null);
    session.prompt("Look.");
    session.call(
      closing("heron", 4_000),
      { ...closing("owl", 4_000), ignored: true },
      closing("tern", 4_000),
    );
    session.prompt("And now?");
    const { candidates } = surveyHistory(session.view(), settings, 0);
    const parts = session.messages[1]?.parts.map(({ id }) => candidates.get(id)?.dropReason ?? "-");
    expect(parts).toEqual(["shortened", "-", "shortened"]);
    const short = answered(Array.from({ length: 9 }, (_, at) => said(`heron ${at} `.repeat(60))));
    short.prompt("And now?");
    expect(surveyHistory(short.view(), settings, 0).candidates.size).toBe(0);
  });

  const log = Array.from({ length: 200 }, (_, at) => `2026-11-28 12:00:00 INFO step ${at}`).join(
    "\n",
  );

  test("a paste in a prompt beyond the tail shrinks, the sentences around it stay", () => {
    const session = new SimulatedSession(null, null);
    session.prompt(`Why?\n${log}\nLeave the migrations alone.`);
    session.call(...word);
    session.prompt(`And why is this?\n${log}`);
    session.call(...word);
    expect(going(session)).toEqual(["spent 2", "-", "-", "-"]);
    expect(going(session, 100_000)).toEqual(["-", "-", "-", "-"]);
    const { candidates } = surveyHistory(session.view(), settings, 0);
    const [edit] = candidates.get(partIdAt(session, 0))?.edits ?? [];
    const text = edit?.verb === "replace" ? edit.text : "";
    expect(text.split("\n")).toEqual([
      ...["Why?", ...log.split("\n").slice(0, 8)],
      expect.stringContaining("187 lines of this are not shown here") as never,
      ...[...log.split("\n").slice(-5), "Leave the migrations alone."],
    ]);
    const before = estimateTokens(`Why?\n${log}\nLeave the migrations alone.`);
    expect(candidates.get(partIdAt(session, 0))?.saves).toBe(before - estimateTokens(text));
  });

  test("a paste of which its ends are nearly all stays", () => {
    const long = log.split("\n").map((line) => `${line} ${"of it ".repeat(36)}`);
    const going14 = (middle: string) => {
      const session = new SimulatedSession(null, null);
      session.prompt(["Why?", ...long.slice(0, 8), middle, ...long.slice(8, 13)].join("\n"));
      session.call(...word);
      session.prompt("And now?");
      session.call(...word);
      return going(session)[0];
    };
    expect(going14("2026-11-28 ok")).toBe("-");
    expect(going14(`2026-11-28 ${"not ok ".repeat(80)}`)).toBe("spent 2");
  });

  test("what the host put beside the user's words shrinks whole; an update of ours is left alone", () => {
    const session = new SimulatedSession(null, null);
    session.prompt("Look at this file.");
    const [first] = session.messages;
    if (!first) throw new Error("no prompt");
    const words = "A sentence of the file that is read to the model.\n".repeat(200);
    const beside = (id: string, more: object) => ({ ...first.parts[0], id, text: words, ...more });
    session.messages[0] = {
      ...first,
      parts: [
        ...first.parts,
        beside("own", {}),
        beside("host", { synthetic: true }),
        beside("hidden", { synthetic: true, ignored: true }),
      ],
    } as HostMessage;
    const at = { messageId: first.info.id, partId: partIdAt(session, 0) };
    session.commit([{ verb: "insert", after: at, text: `Of ours: ${words}` }]);
    session.call(...word);
    session.prompt("And now?");
    session.call(...word);
    const sent = session.view().projected[0]?.parts ?? [];
    expect(sent).toHaveLength(5);
    const { candidates } = surveyHistory(session.view(), settings, 0);
    expect([...candidates.keys()]).toEqual(["host"]);
    session.commit(candidates.get("host")?.edits ?? []);
    expect(surveyHistory(session.view(), settings, 0).candidates.size).toBe(0);
  });
});
