import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { absent, Unavailable } from "../../src/context/source.ts";
import { parseDate } from "../../src/sources/date.ts";
import { parseEnvironment } from "../../src/sources/environment.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import { parseHostSystem } from "../../src/sources/host-system.ts";
import { deriveHostScope } from "../../src/sources/instruction-scope.ts";
import { parseInstructions, renderHostText } from "../../src/sources/instruction-text.ts";
import { UrlCache } from "../../src/sources/instruction-urls.ts";
import { createInstructionsSource } from "../../src/sources/instructions.ts";
import { parseModel } from "../../src/sources/model.ts";
import { type Layout, layouts, optOutLayouts } from "./host-layouts.ts";
import { type RealHost, startRealHost } from "./real-host.ts";
import { renderHostSystem } from "./rendered-system.ts";

const optOut = { OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: "1" };

describe.each([
  ["the host", {}, layouts],
  ["the host with its opt-outs", optOut, optOutLayouts],
] as const)("%s", (_name, env, cases) => {
  let host: RealHost;
  beforeAll(async () => {
    host = await startRealHost(env);
  }, 600_000);
  afterAll(() => host.stop());

  test.each(cases.map((layout) => [layout.name, layout] as const))(
    "D1: instructions are found and rendered as the host does: %s",
    (_title, layout) => check(host, layout),
    180_000,
  );
});

async function check(host: RealHost, layout: Layout): Promise<void> {
  const { directory, configured } = layout.make(host.place);
  const place = await host.readPaths(directory);
  const files = new FileCache();
  const source = createInstructionsSource({
    scope: deriveHostScope({ ...place, configured: () => configured }, host.env, host.place.home),
    files,
    urls: new UrlCache(),
    lastKnown: () => null,
  });
  const loaded = await source.load();
  if (loaded instanceof Unavailable) throw new Error(loaded.reason);
  const value = loaded === absent ? null : loaded;
  const text = await host.readSystem(directory, layout.prompt);
  const rendered = value === null ? null : renderHostText(value);
  const system = parseHostSystem(text, {
    modelApiId: "claude-mock",
    providerId: "mock",
    directory: place.directory,
    ownSystem: layout.prompt.system,
    structuredNote: layout.prompt.format === "json" ? "present" : "absent",
    expectedInstructions: rendered,
  });
  if (system === null) throw new Error(`no environment block of ${place.directory} in ${text}`);
  expect(renderHostSystem(system)).toBe(text);
  if (layout.cut) expect(system.blocks.instructions).not.toBe(rendered);
  else expect(system.blocks.instructions).toBe(rendered);
  expect(parseInstructions(system.blocks.instructions, value, files.limitBytes)).toEqual(value);
  expect(system.preamble).toStartWith("You are");
  expect(system.blocks.skills).toEndWith("</available_skills>");
  expect(system.live === null).toBe(
    layout.prompt.system === null && layout.prompt.format === "text",
  );
  if (layout.prompt.system !== null) expect(system.live).toEndWith(layout.prompt.system);
  expect(parseModel(system.blocks.environment)).toEqual({
    providerID: "mock",
    modelID: "claude-mock",
  });
  expect(parseDate(system.blocks.environment)).toBe(new Date().toDateString());
  expect(parseEnvironment(system.blocks.environment)).toMatchObject(place);
  if (layout.references) expect(system.blocks.references).toContain("<name>notes</name>");
  const found = (value ?? []).map((one) => one.source.replace(`${host.place.root}/`, ""));
  const wanted = layout.sources(host.place).map((path) => path.replace(`${host.place.root}/`, ""));
  expect(found.toSorted()).toEqual(wanted.toSorted());
}
