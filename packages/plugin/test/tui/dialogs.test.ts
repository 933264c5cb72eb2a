import { expect, test } from "bun:test";
import { loadFeatures } from "../../src/rooms.ts";
import { dialogsOf } from "../../src/tui/dialogs.ts";

test("each command that declares a dialog has one, and the status comes first", async () => {
  const features = await loadFeatures({});
  const dialogs = dialogsOf(features);
  expect(dialogs.map(({ name, shows }) => `${name} ${shows}`).slice(0, 3)).toEqual([
    "ctx-status report",
    "ctx-queue queue",
    "ctx-brief report",
  ]);
  for (const { title } of dialogs) expect(title).toStartWith("Session Runtime: ");
  const commands = [
    { name: "ctx-plain", description: "d" },
    {
      ...{ name: "ctx-mine", description: "d" },
      dialog: { title: "Session Runtime: mine", description: "Mine", shows: "report" },
    },
  ] as const;
  expect(dialogsOf([{ commands }, {}]).slice(1)).toEqual([
    { name: "ctx-mine", title: "Session Runtime: mine", description: "Mine", shows: "report" },
  ]);
});
