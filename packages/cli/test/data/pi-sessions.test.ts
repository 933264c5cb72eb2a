import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { DataFolders, first, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();
const HOUR_MS = 3_600_000;

const NAMED = "019a0c4e-7b1d-7f6a-9c37-0d2f5a1b3c4d" as SessionId;
const PROMPTED = "019b1d5f-8c2e-7f6a-9c37-0d2f5a1b3c4d" as SessionId;

/** A session's file, as Pi writes it. */
function piFile(home: string, id: string, entries: readonly object[]): void {
  const folder = join(home, ".pi/agent/sessions/--work--");
  mkdirSync(folder, { recursive: true });
  const header = { type: "session", version: 3, id, cwd: "/work" };
  const lines = [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(join(folder, `2026-01-01T00-00-00-000Z_${id}.jsonl`), lines.join(""));
}

const prompt = (content: unknown) => ({ type: "message", message: { role: "user", content } });
const system = { type: "message", message: { role: "system", content: "" } };

test("sessions of both hosts are listed beside each other, each with its host's title", async () => {
  const folder = folders.make();
  const database = folder.open();
  for (const id of [first, NAMED, PROMPTED]) storeSession(database, id, Date.now() - HOUR_MS);
  for (const id of [NAMED, PROMPTED]) database.sessions.claim(id, "pi", Date.now());
  piFile(folder.home, NAMED, [
    prompt("Look around"),
    { type: "session_info", name: "The old name" },
    { type: "session_info", name: "The herons" },
  ]);
  piFile(folder.home, PROMPTED, [system, prompt([{ type: "text", text: "Fix the\nlogin" }])]);
  const { out } = await folder.run(["sessions", "--json"]);
  const { sessions } = JSON.parse(out);
  const shown = sessions.map(({ sessionId, harness, title }: Record<string, unknown>) => [
    ...[sessionId, harness, title],
  ]);
  expect(shown).toContainEqual([NAMED, "pi", "The herons"]);
  expect(shown).toContainEqual([PROMPTED, "pi", "Fix the"]);
  expect(shown).toContainEqual([first, null, null]);
  const text = (await folder.run(["sessions"])).out;
  expect(text.split("\n").find((line) => line.includes(NAMED))).toContain("pi, The herons");
  const drawn = await folder.run(["timeline", NAMED, "--json"]);
  expect(JSON.parse(drawn.out)).toMatchObject({ title: "The herons", harness: "pi" });
  const checked = await folder.run(["check-database", "--json"]);
  expect(JSON.parse(checked.out).sessions).toEqual({ opencode: 1, pi: 2 });
});

test("a session of Pi's is shown, drawn, exported and pruned by its id, with or without its file", async () => {
  const folder = folders.make();
  storeSession(folder.open(), NAMED, Date.now() - 48 * HOUR_MS);
  piFile(folder.home, NAMED, [prompt("About herons")]);
  const word = NAMED.slice(0, 8);
  expect((await folder.run(["status", word])).exitCode).toBe(0);
  expect(JSON.parse((await folder.run(["timeline", word, "--json"])).out)).toMatchObject({
    title: "About herons",
  });
  rmSync(join(folder.home, ".pi"), { recursive: true });
  const timeline = await folder.run(["timeline", word, "--json"]);
  expect(JSON.parse(timeline.out)).toMatchObject({ sessionId: NAMED, title: null });
  const file = join(folder.home, "session.json");
  expect((await folder.run(["export", word, "--out", file])).exitCode).toBe(0);
  const pruned = await folder.run(["prune", "--older-than", "1d", "--yes", "--json"]);
  expect(pruned.out).toContain(NAMED);
  expect(JSON.parse((await folder.run(["sessions", "--json"])).out).total).toBe(0);
});
