import { expect, test } from "bun:test";
import {
  createDisabledCommands,
  declareDisabledCommands,
  declareFormerCommands,
  explainEnabling,
  listDeclaredCommands,
  mapDisabledCommands,
  mapFormerCommandNames,
  OPENCODE_SETTINGS,
} from "../../src/feature-api/declared-commands.ts";
import { loadFeatures } from "../../src/features/list.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { parseConfig, sections } from "../whole-config.ts";

const listed = await loadFeatures({});
const commands = listDeclaredCommands(listed);

test("the status comes first, and each command says in its first word what it does", () => {
  expect(commands[0]?.name).toBe("ctx-status");
  for (const { title, description } of commands) {
    expect(description).not.toContain("Session Runtime");
    expect(description).toMatch(/^[A-Z][a-z]+,? [a-z]/);
    expect(description).not.toMatch(/^(?:The|An?)\b|^\w+(?:s|ing|ed)\b/);
    expect(title).toMatch(/^[A-Z]/);
  }
  expect(new Set(commands.map(({ title }) => title)).size).toBe(commands.length);
});

const withCommands = listed.filter(({ commands: declared, isOn }) => declared && isOn);

test.each(withCommands.map((feature) => [feature.name, feature] as const))(
  "what is to be written to turn on %s turns it on, wherever the settings had it off",
  (_name, { isOn, enableHint = "" }) => {
    const switches = sections.filter(({ settings }) => "enabled" in settings);
    const settings = {
      history: { rewrite: "off" },
      ...Object.fromEntries(switches.map(({ key }) => [key, { enabled: false }])),
    };
    expect(isOn?.(parseConfig(settings))).toBe(false);
    expect(isOn?.(parseConfig({ ...settings, ...JSON.parse(`{ ${enableHint} }`) }))).toBe(true);
  },
);

test("a command that is off is there for the host, and answers how to turn it on", async () => {
  const on = listed.filter(({ name }) => name !== "memory");
  const declared = declareDisabledCommands(listed, on);
  expect(declared.map(({ name }) => name)).toEqual(["ctx-memory", "ctx-note"]);
  for (const { description } of declared)
    expect(description).toStartWith("Turned off in your settings");
  const answers = createDisabledCommands(mapDisabledCommands(listed, on), OPENCODE_SETTINGS);
  expect(answers.map(({ name }) => name)).toEqual(["ctx-memory", "ctx-note"]);
  const call = { sessionId: "ses_1" as SessionId, args: "", files: [], process: "stays" } as const;
  const said = await answers[0]?.act(call);
  expect(said?.text).toContain('"memory": { "enabled": true }');
  expect(said?.text).toContain("~/.config/opencode/session-runtime.jsonc");
});

test("each command that is off says how to turn it on, and no other one is listed", () => {
  const on = listed.filter(({ name }) => name !== "memory");
  const turnOn = '"memory": { "enabled": true }';
  expect([...mapDisabledCommands(listed, on)]).toEqual([
    ["ctx-memory", turnOn],
    ["ctx-note", turnOn],
  ]);
  const said = explainEnabling("ctx-note", turnOn, {
    file: "/home/me/settings.jsonc",
    step: "type /reload",
  });
  expect(said).toStartWith("/ctx-note is turned off in your settings.");
  expect(said).toContain("/home/me/settings.jsonc and type /reload:");
  expect(said).toEndWith(`{ ${turnOn} }`);
});

test("former names are in no list of commands, and each says which command it is now", () => {
  const former = mapFormerCommandNames(listed);
  expect([...former]).toEqual(
    expect.arrayContaining([
      ["ctx-recomp", "ctx-resummarize"],
      ["ctx-aug", "ctx-augment"],
    ]),
  );
  const names = commands.map(({ name }) => name);
  for (const [name, now] of former) {
    expect(names).not.toContain(name);
    expect(names).toContain(now);
  }
  expect(declareFormerCommands(listed).map(({ description }) => description)).toEqual(
    [...former.values()].map((now) => `Former name of /${now}`),
  );
});
