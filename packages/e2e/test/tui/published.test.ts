import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { usePackages } from "../package/stage.ts";
import { DRIVEN_MS, drivenTest, longDrivenTest, send, TuiStage } from "./stage.ts";

const packed = usePackages();
const stage = new TuiStage();
setDefaultTimeout(DRIVEN_MS);

/** Panel and dialog, by the one name that stands in both lists. */
async function showsAs(folder: string): Promise<void> {
  const bench = await stage.bench({ plugin: [folder] });
  const { id } = await bench.host.client.createSession();
  await bench.host.client.prompt(id, "Hello");
  const terminal = stage.ui(bench, {
    plugin: [folder],
    attachTo: bench.host.url,
    args: ["--session", id],
  });
  await terminal.waitFor(/Cache 0% ▁/);
  await send(terminal, "/ctx-status");
  await terminal.waitFor("Session Runtime: status");
  await terminal.waitFor("core/instructions");
}

test("the package as published imports what the host shares in the form that the host can find", () => {
  const { folder } = packed.plugin;
  const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const shared = names.flatMap((name) => [
    ...readFileSync(join(folder, name), "utf8").matchAll(/from(\s*)"(?:@opentui\/|solid-js)/g),
  ]);
  expect(shared.length).toBeGreaterThan(3);
  expect(shared.filter(([, space]) => space === "")).toEqual([]);
});

drivenTest("the package as published brings panel and dialogs", () =>
  showsAs(packed.plugin.folder),
);

longDrivenTest("so it does from node_modules, where the host installs it", async () => {
  const folder = join(packed.folder, "node_modules", packed.plugin.name);
  cpSync(packed.plugin.folder, folder, { recursive: true });
  await showsAs(folder);
});
