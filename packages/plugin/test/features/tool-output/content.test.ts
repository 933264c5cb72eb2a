import { describe, expect, test } from "bun:test";
import { joinText, reduceLimits } from "../../../src/features/tool-output/content.ts";

const image = { type: "image", mimeType: "image/png", data: "QQ==" };
const blob = (uri: string) => ({ type: "resource", resource: { uri, mimeType: "a/b", blob: "Q" } });

describe("the limit of a result's texts", () => {
  const limits = { maxBytes: 1_000, maxLines: 40 };

  test("is the whole one beside texts, and what the host makes nothing of", () => {
    const content = [{ type: "text", text: "a" }, { type: "audio" }, null, blob("").resource];
    expect(reduceLimits(content, limits)).toEqual(limits);
  });

  test("is less by a note for each image and each binary resource, with the names that it holds", () => {
    expect(reduceLimits([image], limits)).toEqual({ maxBytes: 840, maxLines: 38 });
    expect(reduceLimits([blob("x://é")], limits)).toEqual({ maxBytes: 831, maxLines: 38 });
    expect(reduceLimits([image, blob("x://\n\n")], limits)).toEqual({
      maxBytes: 840 - 169,
      maxLines: 34,
    });
  });

  test("is a quarter at least", () => {
    expect(reduceLimits(Array(50).fill(image), limits)).toEqual({ maxBytes: 250, maxLines: 10 });
  });
});

describe("the one text of a result", () => {
  test("joins texts and those of resources, with a blank line between them", () => {
    const resource = { type: "resource", resource: { uri: "x", text: "two" } };
    expect(joinText([{ type: "text", text: "one" }, image, resource])).toBe("one\n\ntwo");
  });

  test("there is none where no item has one; a resource's empty text is none, an empty text is one", () => {
    const empty = { type: "resource", resource: { uri: "x", text: "" } };
    expect(joinText([image, empty, blob("x")])).toBeNull();
    expect(joinText([{ type: "text", text: "" }])).toBe("");
  });
});
