import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTerms } from "../../src/features/search/query-words.ts";
import { search } from "../../src/features/search/search.ts";
import { splitPassages } from "../../src/search-index/document.ts";
import { IndexFile } from "../../src/search-index/file.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";
import { describeOnEachDriver } from "./drivers.ts";

const folder = mkdtempSync(join(tmpdir(), "session-runtime-recall-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

describeOnEachDriver("the search index", (openDriver) => {
  test("finds words and pieces of them in its range, and forgets what is removed", () => {
    files += 1;
    const path = join(folder, `${files}.recall.db`);
    const file = new IndexFile({
      ...{ path, openDriver, notice: () => undefined, over: () => undefined },
    });
    const found = file.use((store) => {
      const scope = { sessionId: "ses_1" as SessionId, project: "project" as ProjectId };
      for (const [key, text] of [
        ["prt_1", "const stagingPort = 5433;"],
        ["prt_2", "暂存数据库的端口"],
      ] as const) {
        const record = {
          key,
          messageId: "msg_1",
          kind: "output",
          words: "read",
          madeAtMs: 1,
        } as const;
        const part = { record, digest: "0", passages: splitPassages(text) };
        const id = store.openDocument(scope, part);
        store.write(id ?? 0, part, 0, part.passages.length);
      }
      const range = store.findRange(scope, "session");
      const hits = (query: string) =>
        range
          ? search(store.driver, range, parseTerms(query), () => false).hits.map(
              ({ part }) => part.key,
            )
          : [];
      const before = [hits("stagingport"), hits("agingPo"), hits("端口"), hits("5433")];
      store.remove(scope.sessionId, "r", ["prt_1"]);
      return [...before, hits("stagingPort"), hits("agingPo")];
    });
    file.close();
    expect(found).toEqual([["prt_1"], ["prt_1"], ["prt_2"], ["prt_1"], [], []]);
  });
});
