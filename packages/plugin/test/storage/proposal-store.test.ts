import { expect, test } from "bun:test";
import type { NewProposal } from "../../src/storage/ledger-store.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { entryCommit, entryRecord, firstCommit, otherSession, session } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();

function proposal(output: unknown, change: Partial<NewProposal> = {}): NewProposal {
  return { sessionId: session, kind: "let-go", urgency: "waits", output, ...change };
}

describeOnEachDriver("proposal store", (openDriver) => {
  const opened = () => workspace.open(workspace.path(), openDriver);

  test("what is proposed waits for its own session, in the order in which it came", () => {
    const { proposals } = opened();
    proposals.add(proposal({ partIds: ["prt_1"] }), 1);
    proposals.add(proposal("elsewhere", { sessionId: otherSession }), 2);
    proposals.add(proposal(null, { kind: "fold-now", urgency: "command" }), 3);
    expect(proposals.waiting(session)).toMatchObject([
      { kind: "let-go", urgency: "waits", output: { partIds: ["prt_1"] } },
      { kind: "fold-now", urgency: "command", output: null },
    ]);
    expect(proposals.waiting(otherSession)).toMatchObject([{ output: "elsewhere" }]);
  });

  test("the same proposal waits once; a command's is another one", () => {
    const { proposals } = opened();
    for (const output of ["a", "a", "b"]) proposals.add(proposal(output), 1);
    proposals.add(proposal("a", { urgency: "command" }), 2);
    proposals.add(proposal("a", { kind: "other" }), 3);
    expect(
      proposals.waiting(session).map(({ kind, urgency, output }) => [kind, urgency, output]),
    ).toEqual([
      ["let-go", "waits", "a"],
      ["let-go", "waits", "b"],
      ["let-go", "command", "a"],
      ["other", "waits", "a"],
    ]);
  });

  test("I3: a commit takes a proposal with the entries that it makes of it; a lost one takes none", () => {
    const { proposals, ledger } = opened();
    proposals.add(proposal("a"), 1);
    proposals.add(proposal("b"), 1);
    const [a, b] = proposals.waiting(session);
    if (!a || !b) throw new Error("Two wait");
    expect(ledger.commit(firstCommit(), [a.id])).toEqual({ kind: "committed" });
    expect(proposals.waiting(session)).toEqual([b]);
    expect(ledger.commit(firstCommit(), [b.id])).toEqual({ kind: "lost" });
    expect(proposals.waiting(session)).toEqual([b]);
    const ofNoEpoch = { ...entryCommit(1), entries: [entryRecord(2, 0)] };
    expect(() => ledger.commit(ofNoEpoch, [b.id])).toThrow("Nothing of it was");
    expect(proposals.waiting(session)).toEqual([b]);
  });

  test("one that another process has taken is taken for no other: no number is used twice", () => {
    const path = workspace.path();
    const one = workspace.open(path, openDriver);
    const other = workspace.open(path, openDriver);
    one.proposals.add(proposal("a"), 1);
    const [held] = other.proposals.waiting(session);
    if (!held) throw new Error("It waits");
    one.ledger.commit(firstCommit(), [held.id]);
    one.proposals.add(proposal("b"), 2);
    other.ledger.commit({ sessionId: session, expectedSeq: 1, epoch: null, entries: [] }, [
      held.id,
    ]);
    expect(one.proposals.waiting(session)).toMatchObject([{ output: "b" }]);
  });

  test("a session's proposals go with it", () => {
    const { proposals, sessions } = opened();
    proposals.add(proposal("a"), 1);
    sessions.remove(session);
    expect(proposals.waiting(session)).toEqual([]);
  });
});
