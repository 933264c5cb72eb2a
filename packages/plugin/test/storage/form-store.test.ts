import { expect, test } from "bun:test";
import type { FormOwner } from "../../src/storage/form-store.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { entryCommit, firstCommit, session } from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const owner: FormOwner = { sessionId: session, providerId: "anthropic", modelId: "claude-opus-5" };

describeOnEachDriver("form store", (openDriver) => {
  const open = () => {
    const database = workspace.open(workspace.path(), openDriver);
    database.ledger.commit(firstCommit());
    database.ledger.commit(entryCommit(1));
    return database;
  };

  test("forms are per session and model", () => {
    const { forms } = open();
    forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], 10);
    expect([...forms.of(owner)]).toEqual([[2, "native"]]);
    expect(forms.of({ ...owner, modelId: "other" }).size).toBe(0);
  });

  test("M6: native may become wrapped, and nothing becomes native again", () => {
    const { forms } = open();
    forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], 10);
    forms.decide(owner, [{ entrySeq: 2, form: "wrapped", cause: "refused" }], 20);
    forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], 30);
    expect([...forms.of(owner)]).toEqual([[2, "wrapped"]]);
  });

  test("a refusal is known for its model, from when it was", () => {
    const { forms } = open();
    forms.decide(owner, [{ entrySeq: 2, form: "wrapped", cause: "refused" }], 20);
    expect(forms.refusedSince("anthropic", "claude-opus-5", 20)).toBe(true);
    expect(forms.refusedSince("anthropic", "claude-opus-5", 21)).toBe(false);
    expect(forms.refusedSince("anthropic", "claude-opus-6", 0)).toBe(false);
  });

  test("forms of entries that are not there are refused, all of them", () => {
    const { forms } = open();
    const decisions = [2, 9].map((entrySeq) => ({
      entrySeq,
      form: "native" as const,
      cause: "first" as const,
    }));
    expect(catchStorageError(() => forms.decide(owner, decisions, 10)).code).toBe("failed");
    expect(forms.of(owner).size).toBe(0);
  });

  test("a session's forms go with it", () => {
    const { forms, sessions } = open();
    forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], 10);
    sessions.remove(session);
    expect(forms.of(owner).size).toBe(0);
  });
});
