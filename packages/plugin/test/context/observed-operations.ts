import { initialize, reconcile, replaceBaseline } from "../../src/context/operations.ts";
import type { Snapshot } from "../../src/context/snapshot.ts";
import { observe, type SystemContext } from "../../src/context/system-context.ts";

export const initializeContext = async (context: SystemContext) =>
  initialize(await observe(context));

export const reconcileContext = async (context: SystemContext, snapshot: Snapshot) =>
  reconcile(await observe(context), snapshot);

export const replaceContext = async (context: SystemContext, snapshot: Snapshot) =>
  replaceBaseline(await observe(context), snapshot);
