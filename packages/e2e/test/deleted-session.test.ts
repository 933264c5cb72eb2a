import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { call, say } from "../src/provider/reply.ts";
import { OURS, useStage } from "./conformance/stage.ts";

// What a session said, on the real host: in our files while it is there, and in none once it is deleted.
const WORDS = ["flummoxite", "quorbindle", "snarfwidget"] as const;
const stage = useStage({
  plugin: [[OURS, { recall: { enabled: true }, memory: { enabled: false } }]],
});

/** The files below our data folder that hold one of the words. */
function holding(): readonly string[] {
  const folder = dirname(stage.host.home.database);
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    const content = readFileSync(path);
    return WORDS.some((word) => content.includes(word));
  });
}

test("ER2: a deleted session's words are in no file of our folder seconds later", async () => {
  const talk = await stage.talk();
  const [asked, shown, answered] = WORDS;
  talk.edit({ "words.txt": `The word is ${shown}.\n` });
  const read = call("read", { filePath: "words.txt" });
  stage.provider.script.queueFor(talk.id, read, say(`It is ${answered}.`));
  await talk.say(`Read the words, codename ${asked}`);
  stage.provider.script.queueFor(talk.id, say("Yes."));
  await talk.say("Go on");
  await eventually("our files hold the words", () => holding().length > 0);
  await talk.client.deleteSession(talk.id);
  await eventually("no file of ours holds them", () => holding().length === 0);
  // What was still on its way comes to nothing.
  await Bun.sleep(3_000);
  expect(holding()).toEqual([]);
});
