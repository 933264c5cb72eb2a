import { expect, test } from "bun:test";
import {
  declaredCommands,
  howToTurnOn,
  offCommands,
} from "../../src/features/declared-commands.ts";
import { loadFeatures } from "../../src/rooms.ts";
import { parseConfig } from "../whole-config.ts";

const listed = await loadFeatures({});
const commands = declaredCommands(listed);

test("the status comes first, and each command says in its first word what it does", () => {
  expect(commands[0]?.name).toBe("ctx-status");
  for (const { title, description } of commands) {
    expect(description).not.toContain("Session Runtime");
    expect(description).toMatch(/^(Show|List|Send|Queue|Continue|Stop|Fold|Have|Tidy)\b/);
    expect(title).toMatch(/^[A-Z]/);
  }
  expect(new Set(commands.map(({ title }) => title)).size).toBe(commands.length);
});

const withCommands = listed.filter(({ commands: declared, isOn }) => declared && isOn);

test.each(withCommands.map((feature) => [feature.name, feature] as const))(
  "what is to be written to turn on %s turns it on, wherever the settings had it off",
  (_name, { isOn, turnOn = "" }) => {
    const off = { history: { rewrite: "off" }, recall: { enabled: false } };
    const others = Object.fromEntries(
      ["memory", "historian", "augment", "profile", "smartNotes", "keyFiles"].map((section) => [
        section,
        { enabled: false },
      ]),
    );
    const settings = { ...off, ...others };
    expect(isOn?.(parseConfig(settings))).toBe(false);
    expect(isOn?.(parseConfig({ ...settings, ...JSON.parse(`{ ${turnOn} }`) }))).toBe(true);
  },
);

test("each command that is off says how to turn it on, and no other one is listed", () => {
  const on = listed.filter(({ name }) => name !== "memory");
  const turnOn = '"memory": { "enabled": true }';
  expect([...offCommands(listed, on)]).toEqual([
    ["ctx-memory", turnOn],
    ["ctx-note", turnOn],
  ]);
  const said = howToTurnOn("ctx-note", turnOn, { file: "/home/me/settings.jsonc", host: "Pi" });
  expect(said).toStartWith("/ctx-note is off by your settings.");
  expect(said).toContain("/home/me/settings.jsonc and restart Pi:");
  expect(said).toEndWith(`{ ${turnOn} }`);
});
