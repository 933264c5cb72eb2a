import { describe, expect, test } from "bun:test";
import {
  type Absent,
  absent,
  DuplicateEntryError,
  InvalidKeyError,
  InvalidProducerError,
  registerSource,
  type SourceScope,
  type Unavailable,
  unavailable,
} from "../../../../src/registry.ts";
import { disposeAfterEach, fact, registered, registeredIn, Session } from "./session.ts";

disposeAfterEach();

const session = () => new Session("/work/app", "ses_1");

describe("M4: another plugin's sources", () => {
  test("registers, updates, disposes: each told at the next boundary", async () => {
    const one = session();
    expect(await one.boundary()).toBe("unchanged");
    let person = "Ada";
    const dispose = registered("team/oncall", () => [fact("team/oncall", () => person)]);
    expect(await one.boundary()).toBe("team/oncall: Ada");
    expect(await one.boundary()).toBe("unchanged");
    person = "Grace";
    expect(await one.boundary()).toBe("team/oncall: Grace, was Ada");
    dispose();
    dispose();
    expect(await one.boundary()).toBe("team/oncall: no more Grace");
    expect(await one.boundary()).toBe("unchanged");
  });

  test("B8: a reload disposes and registers anew: what is the same is not told again", async () => {
    const one = session();
    const dispose = registered("team/oncall", () => [fact("team/oncall", () => "Ada")]);
    await one.boundary();
    dispose();
    registered("team/oncall", () => [fact("team/oncall", () => "Ada")]);
    expect(await one.boundary()).toBe("unchanged");
  });

  test("a disposed source without removal text asks for a new epoch", async () => {
    const one = session();
    const { removed: _, ...lasting } = fact("team/oncall", () => "Ada");
    const dispose = registered("team/oncall", () => [lasting]);
    await one.boundary();
    dispose();
    expect(await one.boundary()).toBe("replacement-ready");
  });

  test("absent takes the value back, unavailable and a throw do not", async () => {
    const one = session();
    const answers: (string | Absent | Unavailable)[] = [
      "Ada",
      unavailable("off-line"),
      absent,
      "Ada",
    ];
    const { load: _, ...texts } = fact("team/oncall", () => "");
    registered("team/oncall", () => [
      {
        ...texts,
        load: () => {
          const answer = answers.shift();
          if (answer === undefined) throw new Error("no more answers");
          return answer;
        },
      },
    ]);
    expect(await one.boundary()).toBe("team/oncall: Ada");
    expect(await one.boundary()).toBe("unchanged");
    expect(one.reasons).toEqual(["team/oncall: off-line"]);
    expect(await one.boundary()).toBe("team/oncall: no more Ada");
    expect(await one.boundary()).toBe("team/oncall: Ada");
    expect(await one.boundary()).toBe("unchanged");
    expect(one.reasons).toEqual(["team/oncall: its load threw Error"]);
  });

  test("I12: a producer gets its scope, and what it gives for one session or Location stays there", async () => {
    const scopes: SourceScope[] = [];
    registered("team/where", (scope) => {
      scopes.push(scope);
      return [fact("team/where", () => `${scope.location.directory} ${scope.sessionId}`)];
    });
    const [one, other] = [new Session("/work/a", "ses_a"), new Session("/work/b", "ses_b")];
    const told = await Promise.all([one.boundary(), other.boundary()]);
    expect(told).toEqual(["team/where: /work/a ses_a", "team/where: /work/b ses_b"]);
    expect(scopes[0]).toEqual({
      location: { directory: "/work/a", worktree: "/work/a" },
      sessionId: "ses_a",
      agent: "build",
      model: { providerId: "anthropic", modelId: "claude" },
    });
  });

  test("I12: an entry for a directory holds in that one alone, and each may have its own", async () => {
    const disposeA = registeredIn("/work/a", "team/here", () => [fact("team/here", () => "A")]);
    registeredIn("/work/b", "team/here", () => [fact("team/here", () => "B")]);
    const [one, other] = [new Session("/work/a", "ses_a"), new Session("/work/b", "ses_b")];
    expect(await one.boundary()).toBe("team/here: A");
    expect(await other.boundary()).toBe("team/here: B");
    expect(await new Session("/work/c", "ses_c").boundary()).toBe("unchanged");
    disposeA();
    expect(await one.boundary()).toBe("team/here: no more A");
    expect(await other.boundary()).toBe("unchanged");
  });

  test("B2, I9: entries are told in key order, whatever order they came or answered in", async () => {
    registered("team/b", async () => [fact("team/b", () => "B")]);
    registered("team/a", async () => {
      await Bun.sleep(20);
      return [fact("team/a", () => "A")];
    });
    expect(await session().boundary()).toBe("team/a: A\n\nteam/b: B");
  });

  test("values are any JSON, and one that was changed in place is seen to have changed", async () => {
    const one = session();
    const value = { people: ["Ada"] };
    const { load: _, ...texts } = fact("team/oncall", () => "");
    const text = (current: unknown) => JSON.stringify(current);
    registered("team/oncall", () => [
      {
        ...texts,
        load: () => value,
        baseline: text,
        update: (_previous, current) => text(current),
      },
    ]);
    expect(await one.boundary()).toBe('{"people":["Ada"]}');
    value.people.push("Grace");
    expect(await one.boundary()).toBe('{"people":["Ada","Grace"]}');
  });

  test("a source may be an instance whose methods use `this`", async () => {
    class OncallSource {
      readonly key = "team/oncall";
      readonly #person = "Ada";
      load() {
        return this.#person;
      }
      baseline() {
        return `It is ${this.#person}`;
      }
      update() {
        return this.baseline();
      }
    }
    registered("team/oncall", () => [new OncallSource()]);
    expect(await session().boundary()).toBe("It is Ada");
  });
});

describe("registration", () => {
  test("B6: a repeated entry key fails, by name; the first stays", async () => {
    registered("team/oncall", () => [fact("team/oncall", () => "Ada")]);
    expect(() => registerSource("team/oncall", () => [])).toThrow(DuplicateEntryError);
    expect(await session().boundary()).toBe("team/oncall: Ada");
  });

  test.each(["oncall", "core/oncall", "Team/Oncall", "team/../x y", ""])(
    "the key %j is refused",
    (key) => {
      expect(() => registerSource(key, () => [])).toThrow(InvalidKeyError);
    },
  );

  test("a key that is no text is refused, though it reads like one", () => {
    const register = () => Reflect.apply(registerSource, null, [["team/oncall"], () => []]);
    expect(register).toThrow(InvalidKeyError);
  });

  test("a producer that is not a function is refused", () => {
    expect(() => Reflect.apply(registerSource, null, ["team/oncall", {}])).toThrow(
      InvalidProducerError,
    );
  });

  test("copies of the module in one process share the registry and its words", async () => {
    const copy = await import(
      `../../../../src/features/custom-sources/registration.ts?copy=${Date.now()}`
    );
    const words = await import(`../../../../src/context/source.ts?copy=${Date.now()}`);
    expect(copy.register).not.toBe(registerSource);
    expect(words.Unavailable).not.toBe(unavailable("x").constructor);
    const one = session();
    const answers: unknown[] = ["Ada", new words.Unavailable("off-line"), words.absent];
    const source = { ...fact("team/oncall", () => ""), load: () => answers.shift() };
    const dispose = copy.register("team/oncall", () => [source], { kind: "all" });
    expect(await one.boundary()).toBe("team/oncall: Ada");
    expect(await one.boundary()).toBe("unchanged");
    expect(one.reasons).toEqual(["team/oncall: off-line"]);
    expect(await one.boundary()).toBe("team/oncall: no more Ada");
    dispose();
  });
});
