import { usePackages } from "../package/stage.ts";
import { drivenTest, send, TuiStage } from "./stage.ts";

const packed = usePackages();
const stage = new TuiStage();

drivenTest(
  "the package as published brings panel and dialogs, by the one name in both lists",
  async () => {
    const { folder } = packed.plugin;
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
  },
);
