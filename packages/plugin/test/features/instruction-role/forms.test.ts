import { expect, test } from "bun:test";
import { FormCache } from "../../../src/features/instruction-role/forms.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import type { FormDecision, FormOwner } from "../../../src/storage/form-store.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { told } from "./stage.ts";

const workspace = new Workspace();
const owner: FormOwner = { sessionId: session, providerId: "anthropic", modelId: "claude-opus-5" };
const WEEK_MS = 7 * 86_400_000;

const first = (entrySeq: number): FormDecision => ({ entrySeq, form: "native", cause: "first" });
const refused = (entrySeq: number): FormDecision => ({
  entrySeq,
  form: "wrapped",
  cause: "refused",
});

function opened() {
  const real = workspace.open(workspace.path());
  real.ledger.commit({ ...firstCommit(), entries: [told(2, "m1", "a"), told(3, "m3", "b")] });
  const state = { nowMs: 0, isThere: true, asked: 0, failures: 0 };
  const database = (): RuntimeDatabase => {
    state.asked += 1;
    if (!state.isThere) throw new StorageError("locked", "locked");
    return real;
  };
  const book = () =>
    new FormCache({
      database,
      now: () => state.nowMs,
      storageFailed: () => {
        state.failures += 1;
      },
    });
  return { state, book };
}

test("what was decided is there, and what a model was sent is known while the database can't be asked", () => {
  const { state, book } = opened();
  const one = book();
  expect(one.decide(owner, [first(2)])).toBe("stored");
  expect([...one.readForms(owner)]).toEqual([[2, "native"]]);
  state.isThere = false;
  expect([...one.readForms(owner)]).toEqual([[2, "native"]]);
  expect([...one.readForms({ ...owner, modelId: "other" })]).toEqual([]);
  expect([...book().readForms(owner)]).toEqual([]);
  expect(state.failures).toBe(3);
});

test("nothing to decide is stored without asking; what can't be stored is not", () => {
  const { state, book } = opened();
  state.isThere = false;
  expect(book().decide(owner, [])).toBe("stored");
  expect(state.asked).toBe(0);
  expect(book().decide(owner, [first(2)])).toBe("failed");
  expect(state.failures).toBe(1);
});

test("a model that was sent nothing natively is asked for once", () => {
  const { state, book } = opened();
  const one = book();
  expect([one.hasNative(owner), one.hasNative(owner)]).toEqual([false, false]);
  expect(state.asked).toBe(1);
  const other = book();
  other.decide(owner, [first(2), { ...first(3), form: "wrapped" }]);
  expect([other.hasNative(owner), other.hasNative(owner)]).toEqual([true, true]);
});

test("a refusal keeps its model from being asked for a week, in any session", () => {
  const { state, book } = opened();
  book().decide(owner, [refused(2)]);
  state.nowMs = WEEK_MS;
  expect(book().isRefused(owner)).toBe(true);
  expect(book().isRefused({ ...owner, sessionId: "ses_other" as never })).toBe(true);
  expect(book().isRefused({ ...owner, modelId: "other" })).toBe(false);
  state.nowMs = WEEK_MS + 1;
  expect(book().isRefused(owner)).toBe(false);
});

test("a refusal that couldn't be stored is remembered by the process, and a first form is none", () => {
  const { state, book } = opened();
  const [one, other] = [book(), book()];
  other.decide(owner, [first(2)]);
  expect(other.isRefused(owner)).toBe(false);
  state.isThere = false;
  one.decide(owner, [first(2), refused(3)]);
  state.isThere = true;
  expect(one.isRefused(owner)).toBe(true);
});

test("where a refusal can't be found out, nothing is tried", () => {
  const { state, book } = opened();
  state.isThere = false;
  expect(book().isRefused(owner)).toBe(true);
});
