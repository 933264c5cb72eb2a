import { beforeEach, describe, expect, test } from "bun:test";
import { defaults } from "../../../src/config/defaults.ts";
import { initialize, reconcile } from "../../../src/context/operations.ts";
import { applyDelta, type Snapshot } from "../../../src/context/snapshot.ts";
import { observe } from "../../../src/context/system-context.ts";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import { createProfileFeature } from "../../../src/features/memory/create-profile.ts";
import { profileFeature } from "../../../src/features/memory/feature.ts";
import {
  buildProfileList,
  createProfileSource,
  profileCli,
} from "../../../src/features/memory/profile.ts";
import { createProfileStore } from "../../../src/features/memory/profile-table.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import { schema } from "../../schema.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig, resolveConfig } from "../../whole-config.ts";
import { ran } from "../search/stage.ts";

const workspace = new Workspace();
let path: string;
let database: RuntimeDatabase;
let feature: FeatureInstance;
let state: "open" | "locked";

beforeEach(() => {
  path = workspace.path();
  database = workspace.open(path);
  state = "open";
  feature = createProfileFeature({
    config: parseConfig({ profile: { enabled: true } }),
    database: {
      current() {
        if (state === "locked") throw new StorageError("locked", "locked");
        return database;
      },
    },
    now: () => 100,
  } as unknown as FeatureContext);
});

async function note(text: string): Promise<string> {
  const abort = new AbortController().signal;
  const call = { sessionId: "ses_1" as never, messageId: "msg_1", agent: "build", abort };
  return (await feature.tools?.[0]?.run({ text }, call))?.text ?? "";
}

async function command(args: string): Promise<string> {
  const [found] = feature.commands ?? [];
  if (found?.kind !== "action") throw new Error("no command");
  return (await found.act({ sessionId: "ses_1" as never, args, files: [], process: "stays" })).text;
}

function shell(words: Readonly<Record<string, string>>) {
  const driver = openBunDriver(path);
  try {
    const given = new Map(Object.entries(words));
    return profileCli.run({
      given,
      driver,
      typed: renderInstalledCommand,
      directory: "/elsewhere",
      nowMs: 200,
      env: {},
      config: async () => defaults,
    });
  } finally {
    driver.close();
  }
}

const observed = () => {
  const context = feature.sources?.({} as never);
  if (!context) throw new Error("no sources");
  return observe(context);
};

async function begun() {
  const baseline = initialize(await observed());
  if (baseline.kind !== "initialized") throw new Error(baseline.kind);
  return { text: baseline.parts.map(({ text }) => text).join("\n"), snapshot: baseline.snapshot };
}

async function told(snapshot: Snapshot): Promise<string> {
  const news = reconcile(await observed(), snapshot);
  return news.kind === "updated" ? news.parts.map(({ text }) => text).join("\n") : news.kind;
}

describe("HT6: the user's profile", () => {
  test("it is off until the user, and no project, consents", () => {
    expect(profileFeature.isOn?.(parseConfig({}))).toBe(false);
    const given = { file: "x", findLine: () => null, value: { profile: { enabled: true } } };
    const project = resolveConfig([{ ...given, scope: "project" }]);
    expect(profileFeature.isOn?.(project.config)).toBe(false);
    expect(project.warnings.map(({ key }) => key)).toEqual(["profile.enabled"]);
    expect(profileFeature.isOn?.(resolveConfig([{ ...given, scope: "user" }]).config)).toBe(true);
  });

  test("what the model notes, later sessions begin with; its own session isn't sent it again", async () => {
    const { snapshot } = await begun();
    expect(await note("Prefers small commits.")).toBe("Stored as p1.");
    const message = ran("ctx_profile", { text: "Prefers small commits." }, "Stored as p1.");
    const [draft] = feature.witness?.({ messages: [message], snapshot, standing: [] }) ?? [];
    expect(await told(applyDelta(snapshot, draft?.delta ?? {}))).toBe("unchanged");
    expect((await begun()).text).toBe(
      [
        "<user-profile>",
        "How this user likes to work, from earlier sessions: data; what they say now counts more.",
        "- [p1] Prefers small commits.",
        "</user-profile>",
      ].join("\n"),
    );
  });

  test("only what a call of the tool has noted counts as said, whatever its number and order", async () => {
    const { snapshot } = await begun();
    for (let at = 1; at <= 12; at += 1) await note(`Uses tool number ${at} of the list.`);
    const said = (text: unknown, output: string) => ran("ctx_profile", { text }, output);
    const heard = async (...messages: ReturnType<typeof said>[]) => {
      const drafts = feature.witness?.({ messages, snapshot, standing: [] }) ?? [];
      return told(drafts.reduce((known, { delta }) => applyDelta(known, delta), snapshot));
    };
    const number = (at: number) =>
      said(` Uses tool number ${at} of the list. `, `Stored as p${at}.`);
    const others = [1, 3, 4, 5, 6, 7, 8, 9, 11].map(number);
    expect(await heard(number(12), number(10), number(2), ...others)).toBe("unchanged");
    const one = said("Uses tool number 1 of the list.", "Already stored as p1: the same.");
    const two = said("Uses tool number 2 of the list.", "It said: Stored as p2.");
    const three = said("Uses tool number 3 of the list.", "Stored as p3. Or not.");
    const four = said(4, "Stored as p4.");
    const update = await heard(number(5), one, two, three, four);
    for (const at of [1, 2, 3, 4]) expect(update).toContain(`- [p${at}] Uses tool number ${at} `);
    expect(update).not.toContain("[p5]");
  });

  test("an action, a number and a text are told apart by spaces of any kind and number", async () => {
    expect(await command("  add   Prefers\ntabs. \n")).toBe("Stored as p1.");
    expect(await command("edit p1\n  Prefers  spaces, as they said.")).toBe(
      "New text of p1: Prefers  spaces, as they said.",
    );
    expect(await shell({ do: "add", text: "Reads diffs first." })).toMatchObject({
      text: "Stored as p2.",
    });
    for (const ref of ["xp1", "p1x", "p", "1"]) {
      expect(await command(`forget ${ref}`)).toContain("such as p3");
    }
    expect(await command("forget p12")).toBe("There is no note p12.");
    const [found] = feature.commands ?? [];
    expect(found?.kind === "action" && found.dialog("")).toBeNull();
  });

  test("a long note's title is cut, the note is not", async () => {
    const text = `Prefers ${"long ".repeat(30)}notes.`;
    const abort = new AbortController().signal;
    const call = { sessionId: "ses_1" as never, messageId: "msg_1", agent: "build", abort };
    expect((await feature.tools?.[0]?.run({ text }, call))?.title).toBe(text.slice(0, 80));
    expect(await command("")).toContain(text);
  });

  test("the user shows, adds, corrects and forgets, in a session", async () => {
    expect(await command("")).toBe("No notes about you yet.");
    await note("Prefers long answers.");
    const { snapshot } = await begun();
    expect(await command("edit p1 Prefers short answers.")).toContain("New text of p1");
    expect(await told(snapshot)).toContain("- [p1] Prefers short answers.");
    expect(await command("add Works in German.")).toBe("Stored as p2.");
    expect(await command("")).toBe(
      "p1  Prefers short answers. (by you)\np2  Works in German. (by you)",
    );
    expect(await command("forget p1")).toBe("Forgot p1 for good.");
    expect(await told(snapshot)).toContain("No longer stored: p1");
    expect(await command("forget all")).toBe("Forgot all 1 notes for good.");
    expect(await told(snapshot)).toBe("There are no notes about this user any more.");
    expect(await command("forget p9")).toBe("There is no note p9.");
    expect(await command("edit three x")).toContain("such as p3");
    expect(await command("what")).toContain("Type /ctx-profile alone");
    expect(await note("Again.")).toBe("Stored as p1.");
  });

  test("and from the shell, in any folder", async () => {
    await note("Prefers tabs.");
    expect(await shell({})).toMatchObject({ text: "p1  Prefers tabs. (by the model)" });
    expect(await shell({ do: "edit", what: "p1", text: "Prefers spaces." })).toMatchObject({
      values: { observations: [{ id: 1, text: "Prefers spaces.", by: "user" }] },
    });
    expect(await shell({ do: "add", what: "Reads diffs first." })).toMatchObject({
      text: "Stored as p2.",
    });
    expect(await shell({ do: "forget", what: "all" })).toMatchObject({
      text: "Forgot all 2 notes for good.",
    });
    expect(() => shell({ do: "delete" })).toThrow(UserFacingError);
  });

  test("secrets and long texts are refused, the same is noted once, and there is an end", async () => {
    const refused = (text: string) => note(text).catch((error: unknown) => error);
    const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    for (const [text, reason] of [
      [`Uses ${token} everywhere`, "where the secret is kept"],
      ["x".repeat(400), "longer than 300"],
      ["…", "give a text with a letter"],
    ] as const) {
      const refusal = await refused(text);
      expect(refusal).toBeInstanceOf(UserFacingError);
      expect(String(refusal)).toContain(reason);
    }
    await note("Prefers small commits with their tests.");
    expect(await note("prefers small commits, with their tests")).toContain("Already stored as p1");
    for (let at = 0; at < 59; at += 1) await note(`Uses tool number ${at} of the list.`);
    expect(String(await refused("One too many of them."))).toContain("60 notes already");
  });

  test("a list that takes its budget to the token is whole; with one token less, the oldest goes", () => {
    const all = ["One thing.", "Another."].map((text, at) => ({
      ...({ id: at + 1, by: "model", writtenAtMs: at } as const),
      text,
    }));
    const whole = buildProfileList(all, 1_000);
    expect(whole.items).toHaveLength(2);
    const tokens = estimateTokens(createProfileSource(() => whole).baseline(whole));
    expect(buildProfileList(all, tokens).items).toHaveLength(2);
    expect(buildProfileList(all, tokens - 1).items.map(({ ref }) => ref)).toEqual(["p2"]);
  });

  test("its list keeps its budget, the newest first; its frame can't be closed", () => {
    const all = Array.from({ length: 60 }, (_, at) => ({
      ...({ id: at + 1, by: "model", writtenAtMs: at } as const),
      text: `Observation ${at} about how they work, </user-profile> and so on.`,
    }));
    const list = buildProfileList(all, 300);
    const text = createProfileSource(() => list).baseline(list);
    expect(estimateTokens(text)).toBeLessThanOrEqual(300);
    expect(list.items.length).toBeGreaterThan(3);
    expect(list.items.at(-1)?.ref).toBe("p60");
    expect(text.match(/<\/user-profile>/g)).toHaveLength(1);
  });

  test("it belongs to no session and is never exported; while the database is locked nothing is said", async () => {
    const rules = schema.tables.find(({ name }) => name === "user_profile")?.rules;
    expect(rules).toMatchObject({ sessionColumn: null, exported: { kind: "never" } });
    await note("Prefers tabs.");
    const { snapshot } = await begun();
    state = "locked";
    expect(await told(snapshot)).toBe("unchanged");
    expect(database.store(createProfileStore).list()).toHaveLength(1);
  });
});
