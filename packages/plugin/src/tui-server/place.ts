// The folder that holds the address files.
import { dirname, join } from "node:path";
import { databasePath, type PathEnvironment } from "../storage/location.ts";

/** The folder of the address files: beside the database, where it lies unless the user has moved it. */
export function channelFolder(surroundings: PathEnvironment): string {
  return join(dirname(databasePath(surroundings)), "channels");
}
