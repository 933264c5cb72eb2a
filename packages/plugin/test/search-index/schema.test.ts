import { expect, test } from "bun:test";
import { prepareTables } from "../../src/search-index/schema.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";

function created() {
  const driver = openBunDriver(":memory:");
  expect(prepareTables(driver)).toBe(true);
  return driver;
}

test("an empty file gets the tables, and an index is left as it is", () => {
  const driver = created();
  driver.run("INSERT INTO project VALUES (1, 'shop')");
  expect(prepareTables(driver)).toBe(true);
  expect(driver.all("SELECT key FROM project")).toEqual([{ key: "shop" }]);
});

test("an index of another version, and a file with other tables, is no index of ours and is left alone", () => {
  for (const version of [1, 3, 5]) {
    const driver = created();
    driver.exec(`PRAGMA user_version = ${version}`);
    driver.run("INSERT INTO project VALUES (1, 'shop')");
    expect(prepareTables(driver)).toBe(false);
    expect(driver.all("SELECT key FROM project")).toEqual([{ key: "shop" }]);
  }
  const other = openBunDriver(":memory:");
  other.exec("CREATE TABLE bird (name TEXT)");
  expect(prepareTables(other)).toBe(false);
  expect(other.all("SELECT name FROM sqlite_schema")).toEqual([{ name: "bird" }]);
});
