import { expect, test } from "bun:test";
import { type HostSystemQuery, HostSystemReader } from "../../src/sources/host-system.ts";

const QUERY: HostSystemQuery = {
  modelApiId: "opus",
  providerId: "mock",
  directory: "/app",
  ownSystem: null,
  structuredNote: "absent",
  expectedInstructions: null,
};

const TEXT = [
  "You are powered by the model named opus. The exact model ID is mock/opus",
  "Here is some useful information about the environment you are running in:",
  "<env>",
  "  Working directory: /app",
  "  Workspace root folder: /app",
  "  Is directory a git repo: yes",
  "  Platform: linux",
  "  Today's date: Sun Nov 22 2026",
  "</env>",
  "Be brief.",
].join("\n");

test("I20: a system string is read once while it and what is known of the call stay the same", () => {
  const reader = new HostSystemReader();
  const first = reader.read(TEXT, QUERY);
  expect(first?.live).toBe("Be brief.");
  expect(reader.read(TEXT, { ...QUERY })).toBe(first);
});

test("another string, and another call, are read anew", () => {
  const reader = new HostSystemReader();
  const first = reader.read(TEXT, QUERY);
  expect(reader.read(TEXT, { ...QUERY, directory: "/other" })).toBeNull();
  expect(reader.read(`${TEXT} And kind.`, QUERY)?.live).toBe("Be brief. And kind.");
  expect(reader.read(`${TEXT} And fair.`, QUERY)?.live).toBe("Be brief. And fair.");
  const own = reader.read(`${TEXT}\nAnswer in French.`, {
    ...QUERY,
    ownSystem: "Answer in French.",
  });
  expect(own?.live).toBe("Be brief.\nAnswer in French.");
  expect(reader.read(TEXT, QUERY)).toEqual(first);
});
