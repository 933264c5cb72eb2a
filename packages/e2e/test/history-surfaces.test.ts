import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { runCli } from "../../cli/test/command-line.ts";
import { eventually } from "../../plugin/test/eventually.ts";
import { HostError } from "../src/client/client.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import { readNotices } from "./conformance/notices.ts";
import { countCallsBesideTitles, OURS, one, type Talk, useStage } from "./conformance/stage.ts";
import { errorMessage } from "./ctx-status-stage.ts";
import { folds, middle, texts, work } from "./history-stage.ts";

// What people see of a session's history on the real host: commands, status, notice, command line.
// Nothing goes before it is asked for, so that a fold has much to spare.
const stage = useStage({
  plugin: [[OURS, { history: { rewrite: "pressure" }, recall: { enabled: false } }]],
});

/** What the caller reads of a command that was answered without a model call. */
async function command(talk: Talk, name: string): Promise<string> {
  const calls = countCallsBesideTitles(stage.provider);
  const answer = await talk.client.command(talk.id, name, "").catch((error) => {
    if (error instanceof HostError) return errorMessage(error);
    throw error;
  });
  expect(countCallsBesideTitles(stage.provider)).toBe(calls);
  expect(answer).toContain(`/${name} was answered without a model call`);
  return String(answer);
}

/** The newest text that the user is shown and no model is sent. */
async function shown(talk: Talk): Promise<string> {
  const parts = (await talk.client.messages(talk.id)).flatMap((message) => message.parts);
  const notes = parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : []));
  return one(notes.at(-1));
}

const inLine = (text: string) => text.replaceAll(/\s+/g, " ");

async function report(talk: Talk, name: string): Promise<string> {
  await command(talk, name);
  return shown(talk);
}

function cli(...words: readonly string[]) {
  const { home, project } = stage.host;
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  return runCli(words, env, project);
}

const firstFolds = () =>
  readNotices(join(dirname(stage.host.home.database), "runtime.log")).filter(({ code }) =>
    String(code).startsWith("history_first_fold:"),
  );

test("a session is folded on demand, shown as the model has it, and its rewrites outlive a restart and know of an undo", async () => {
  const talk = await stage.talk();
  await work(stage, talk, 1);
  expect(await command(talk, "ctx-fold")).toContain("There is nothing to fold");
  expect(inLine(await report(talk, "ctx-status"))).not.toContain("History ");

  // Folded at the next message, and not before; the answer has said what it would spare.
  for (let turn = 2; turn <= 6; turn++) await work(stage, talk, turn);
  expect(folds(talk.last())).toEqual([]);
  const before = texts(talk.last()).join("\n").length;
  const answer = await command(talk, "ctx-fold");
  expect(answer).toMatch(/At your next message: \d+ messages folded into a record/);
  const promised = Number(/about ([\d,]+) tokens/.exec(answer)?.[1]?.replaceAll(",", ""));
  await talk.say("Folded?", middle);
  const [fold = ""] = folds(talk.last());
  expect(fold).toContain("module 100 of the tree was checked");
  const said = texts(talk.last());
  expect(said.some((text) => text.includes("The value of turn 4 is 124."))).toBe(true);
  const spared = (before - texts(talk.last()).join("\n").length) / 4;
  expect(promised / spared).toBeGreaterThan(0.6);
  expect(promised / spared).toBeLessThan(1.7);
  await eventually("the notice is in the log", () => firstFolds().length === 1);

  // The report has the very text of the wire, its segments with tiers, and the reason.
  const history = await report(talk, "ctx-history");
  expect(history).toContain(fold);
  expect(history).toMatch(/^ {2}h:[0-9a-z]{6} {2}\d+ messages? .*(full|short|brief|line)$/m);
  const status = inLine(await report(talk, "ctx-status"));
  expect(status).toMatch(/Context [\d,]+ tokens in the newest call: .*folded [\d,]+;/);
  expect(status).toMatch(/History \d+ messages folded into a record of about [\d,]+ tokens/);
  expect(status).toMatch(
    /as you asked: .*older messages folded; cost [\d,]+, spares [\d,]+ a call/,
  );

  // A restart keeps the record of it, and the notice is not repeated.
  await stage.host.restart({});
  await talk.say("Restarted", middle);
  expect(inLine(await report(talk, "ctx-status"))).toContain("as you asked: ");
  await command(talk, "ctx-fold");
  await work(stage, talk, 7);
  await work(stage, talk, 8);
  expect(firstFolds()).toHaveLength(1);

  // The command line reads the same from the database.
  const { out } = await cli("history", talk.id, "--json");
  const values = JSON.parse(out);
  expect(values.foldedMessages).toBeGreaterThan(5);
  expect(values.rewrites.map(({ reason }: { reason: string }) => reason)).toContain("asked");
  expect(values.savedTokens).toBeGreaterThan(values.savedTokensPerCall / 10);
  expect(inLine((await cli("status", talk.id)).out)).toContain("as you asked: ");
  expect((await cli("timeline", talk.id)).out).toMatch(/~ rewrite: .*as you asked; cost/);

  // An undo into the fold takes it back, and the status says so.
  const users = (await talk.client.messages(talk.id)).filter(
    ({ info, parts }) =>
      info.role === "user" && parts.some((part) => part.type === "text" && !part.ignored),
  );
  await talk.client.revert(talk.id, one(users[2]).info.id);
  await talk.say("Another way", middle);
  expect(folds(talk.last()).length).toBeLessThan(3);
  expect(inLine(await report(talk, "ctx-status"))).toContain("taken back by an undo");
}, 600_000);
