import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { VectorStore } from "../../../src/features/search/vector-store.ts";
import { loadVectorsSection } from "../../../src/features/search/vectors-section.ts";
import { toIndexPath } from "../../../src/search-index/place.ts";
import { prepareTables } from "../../../src/search-index/schema.ts";
import { IndexStore } from "../../../src/search-index/store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId } from "../../../src/storage/records.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const PROJECT = "project" as ProjectId;
const OTHER = "other" as ProjectId;

const workspace = new Workspace();

test("V2: the status says how many texts of the session's project are found by meaning, and by which model", async () => {
  const path = workspace.path();
  const { ledger } = workspace.open(path, openBunDriver);
  ledger.commit(firstCommit());
  const driver = openBunDriver(path);
  const place = driver.get("SELECT directory FROM epoch WHERE session_id = ?", session);
  const read = await loadVectorsSection();
  const said = () => read(driver)(session, 1, null);
  expect(said()).toBeNull();

  const vectors = openBunDriver(toIndexPath(path));
  prepareTables(vectors);
  const store = new VectorStore(new IndexStore(vectors));
  const vector = Float32Array.from([1, 0, 0]);
  const give = (project: ProjectId, keys: readonly string[]) => {
    store.keep(
      project,
      "memory",
      keys.map((key) => ({ key, digest: key })),
    );
    return store.listDue(project, "memory").map((passage) => {
      const isRefused = store.findItem(passage)?.key === "refused";
      return { passage, vector: isRefused ? null : vector };
    });
  };
  const own = store.enter(PROJECT, String(place?.directory), "ideas-1");
  store.add(own, "ideas-1", give(PROJECT, ["a", "b", "refused"]));
  store.add(store.enter(OTHER, "/elsewhere", "ideas-1"), "ideas-1", give(OTHER, ["c"]));
  expect(said()).toEqual({
    label: "Vectors",
    text: "2 texts found by meaning, by ideas-1 (3 numbers each).",
    short: null,
  });
  vectors.close();
  writeFileSync(toIndexPath(path), "no database".repeat(1_000));
  expect(said()).toBeNull();
  driver.close();
});
