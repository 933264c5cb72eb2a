// Another process that writes for a moment: nobody else can until it is done.
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { report } from "../processes.ts";

const [path = "", heldMs = ""] = process.argv.slice(2);
const driver = openBunDriver(path);
driver.exec("PRAGMA busy_timeout = 1000; BEGIN IMMEDIATE");
report("locked");
Bun.sleepSync(Number(heldMs));
driver.exec("ROLLBACK");
driver.close();
