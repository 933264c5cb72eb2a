import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { minLongListChars, ObservedBlocks, renderListChange } from "../../src/sources/observed.ts";

type Entries = ReadonlyMap<string, string>;

/** As the host renders its skills: by name, under two lines of its own. */
function skills(entries: Entries): string {
  const sorted = [...entries].toSorted(([left], [right]) => left.localeCompare(right));
  return [
    "Skills provide specialized instructions and workflows for specific tasks.",
    "Use the skill tool to load a skill when a task matches its description.",
    "<available_skills>",
    ...sorted.flatMap(([name, description]) => [skill(name, description)]),
    "</available_skills>",
  ].join("\n");
}

function skill(name: string, description: string): string {
  return [
    "  <skill>",
    `    <name>${name}</name>`,
    `    <description>${description}</description>`,
    `    <location>/skills/${name}/SKILL.md</location>`,
    "  </skill>",
  ].join("\n");
}

/** What a reader makes of a list and an announced change: it knows nothing of the present list. */
function applied(previous: string, change: string): string {
  const section = (kind: string) =>
    new RegExp(`^<${kind}>\n([\\s\\S]*?)\n</${kind}>$`, "m").exec(change)?.[1] ?? "";
  const entriesIn = (text: string) =>
    [...text.matchAll(/^ {2}<skill>\n {4}<name>(.*)<\/name>\n[\s\S]*?\n {2}<\/skill>$/gm)].map(
      ([whole, name = ""]) => [name, whole] as const,
    );
  const entries = new Map(entriesIn(previous));
  for (const [, name = ""] of section("removed").matchAll(/^ {4}<name>(.*)<\/name>$/gm)) {
    if (!entries.delete(name)) throw new Error(`${name} was not there`);
  }
  for (const [name, whole] of entriesIn(section("added"))) {
    if (entries.has(name)) throw new Error(`${name} was there`);
    entries.set(name, whole);
  }
  for (const [name, whole] of entriesIn(section("changed"))) {
    if (!entries.has(name)) throw new Error(`${name} was not there`);
    entries.set(name, whole);
  }
  const sorted = [...entries].toSorted(([left], [right]) => left.localeCompare(right));
  const [head = "", tail = ""] = previous.split(/^ {2}<skill>[\s\S]*<\/skill>$/m);
  return `${head}${sorted.map(([, whole]) => whole).join("\n")}${tail}`;
}

const many = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`skill-${index}`, `Does task ${index}.`]));

describe("a long list is announced by what changed", () => {
  const before = many(2000);

  test("one edit of 2,000 skills costs its own entry", () => {
    const after = new Map([...before, ["skill-77", "Does it better."]]);
    const change = renderListChange(skills(before), skills(after));
    expect(change).toBe(`<changed>\n${skill("skill-77", "Does it better.")}\n</changed>`);
  });

  test("a list of 8,192 characters is long, one of a character less is told whole", () => {
    const list = (last: string) => skills(new Map([...many(50), ["z", last]]));
    const feature = minLongListChars - list("").length;
    expect(feature).toBeGreaterThan(100);
    const long = "x".repeat(feature);
    expect(list(long)).toHaveLength(minLongListChars);
    const changed = (text: string) => renderListChange(text.replace("task 7.", "task 8."), text);
    expect(changed(list(long))).toBe(`<changed>\n${skill("skill-7", "Does task 7.")}\n</changed>`);
    expect(changed(list(long.slice(1)))).toBeNull();
  });

  test("removed ones by name, added and changed ones whole, in this order", () => {
    const after = new Map([...before, ["skill-5", "Other."], ["a-new-one", "New."]]);
    after.delete("skill-9");
    after.delete("skill-1999");
    expect(renderListChange(skills(before), skills(after))).toBe(
      [
        ...["<removed>", "    <name>skill-1999</name>", "    <name>skill-9</name>", "</removed>"],
        ...["<added>", skill("a-new-one", "New."), "</added>"],
        ...["<changed>", skill("skill-5", "Other."), "</changed>"],
      ].join("\n"),
    );
  });

  test("I6: applying what was announced to the former list yields the present one, update after update", () => {
    const name = fc.stringMatching(/^[a-z]{1,3}(-[a-z0-9]{1,3})?$/);
    const words = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom("$&", "two\nlines", "x\n  </skill>\n  <skill>", "<changed>", "a\n</changed>"),
      fc.constantFrom("\n  <skill>\n    <name>skill-1</name>\n  </skill>", "</available_skills>"),
    );
    const step = fc.record({
      put: fc.array(
        fc.tuple(
          fc.oneof(
            name,
            fc.nat(399).map((n) => `skill-${n}`),
          ),
          words,
        ),
        {
          maxLength: 12,
        },
      ),
      drop: fc.array(
        fc.nat(399).map((n) => `skill-${n}`),
        { maxLength: 12 },
      ),
    });
    let announced = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        let told = skills(many(400));
        let entries: Entries = many(400);
        for (const { put, drop } of steps) {
          const next = new Map([...entries, ...put]);
          for (const gone of drop) next.delete(gone);
          const present = skills(next);
          const change = renderListChange(told, present);
          if (change !== null) {
            announced += 1;
            expect(applied(told, change)).toBe(present);
          }
          told = present;
          entries = next;
        }
      }),
      { numRuns: 300, seed: 11 },
    );
    expect(announced).toBeGreaterThan(100);
  });

  test("the threshold: a shorter list is announced whole", () => {
    const listOfLength = (length: number, name: string) => {
      const bare = skills(new Map([...many(20), [name, ""]]));
      return skills(new Map([...many(20), [name, "x".repeat(length - bare.length)]]));
    };
    const [short, long] = [minLongListChars - 1, minLongListChars];
    const former = skills(many(20));
    expect(listOfLength(short, "y")).toHaveLength(short);
    expect(renderListChange(former, listOfLength(short, "y"))).toBeNull();
    const [left, right] = [new Map([...many(90)]), new Map([...many(90), ["skill-7", "Other."]])];
    expect(skills(right).length).toBeGreaterThan(long);
    expect(renderListChange(skills(left), skills(right))).not.toBeNull();
    expect(minLongListChars).toBe(8192);
  });

  test("changes of more than half of the list are announced as the whole list", () => {
    const part = (count: number) =>
      new Map([...before].map(([name, text], index) => [name, index < count ? `${text}!` : text]));
    expect(renderListChange(skills(before), skills(part(900)))).not.toBeNull();
    expect(renderListChange(skills(before), skills(part(1100)))).toBeNull();
  });

  const long = "x".repeat(minLongListChars);
  const one = skills(new Map([["a", long]]));
  test.each<readonly [string, string, string]>([
    ["is not a list", long, `${long}y`],
    ["was not a list", "No skills are currently available.", one],
    ["is one of another kind", one.replaceAll("skill>", "reference>"), one],
    ["has other words around it", one, `${one}\nmore`],
    ["has a name twice", one, one.replace("</available", `${skill("a", "b")}\n</available`)],
    ["has an entry without a name", one, one.replace("<name>a</name>", "<nome>a</nome>")],
    ["has an entry that is never closed", one, one.replace("  </skill>\n", "")],
    [
      "is not in the order of its names",
      one.replace("</available", `${skill("c", "d")}\n</available`),
      one.replace("</available", `${skill("c", "e")}\n${skill("b", "d")}\n</available`),
    ],
    [
      "has a description that could end the announcement",
      skills(many(200)),
      skills(new Map([...many(200), ["skill-3", "a\n</changed>"]])),
    ],
  ])("the whole list where it %s", (_why, previous, current) => {
    expect(renderListChange(previous, current)).toBeNull();
  });

  test("references and MCP servers too", () => {
    const reference = (name: string, path: string) =>
      `  <reference>\n    <name>${name}</name>\n    <path>${path}</path>\n  </reference>`;
    const references = (...entries: readonly string[]) =>
      ["Project references.", "<available_references>", ...entries, "</available_references>"].join(
        "\n",
      );
    const kept = reference("a", long);
    expect(
      renderListChange(
        references(kept, reference("b", "/1")),
        references(kept, reference("b", "/2")),
      ),
    ).toBe(`<changed>\n${reference("b", "/2")}\n</changed>`);
    const server = (name: string, text: string) =>
      `  <server name="${name}">\n    ${text}\n  </server>`;
    const servers = (...entries: readonly string[]) =>
      ["<mcp_instructions>", ...entries, "</mcp_instructions>"].join("\n");
    expect(
      renderListChange(servers(server("a", long), server("b", "x")), servers(server("a", long))),
    ).toBe('<removed>\n  <server name="b">\n</removed>');
  });
});

test("a source words it: what the entries are, and that the rest still applies", () => {
  const source = new ObservedBlocks().createSource("skills");
  const [before, after] = [
    skills(many(200)),
    skills(new Map([...many(200), ["skill-7", "Other."]])),
  ];
  expect(source.update(before, after)).toBe(
    `The list of available skills has changed by these entries. The rest of the previous list still applies.\n<changed>\n${skill("skill-7", "Other.")}\n</changed>`,
  );
});
