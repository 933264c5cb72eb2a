// The tasks by name.
import { archive } from "./archive.ts";
import { consolidate } from "./consolidate.ts";
import { docs } from "./docs.ts";
import { improve } from "./improve.ts";
import type { Task, TaskName } from "./task.ts";
import { verify } from "./verify.ts";

export const tasks: Readonly<Record<TaskName, Task>> = {
  verify,
  consolidate,
  archive,
  improve,
  docs,
};
