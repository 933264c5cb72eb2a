import { isTool } from "../../src/ledger/message.ts";
import type { ObservedKind } from "../../src/sources/observed.ts";
import { type Beliefs, selectInstructions } from "./beliefs.ts";
import type { Call } from "./call.ts";
import type { Violation } from "./checker.ts";

interface Reading {
  readonly call: Call;
  readonly beliefs: Beliefs;
  /** Whether all that the host showed in results could be recorded. */
  readonly isHeld: boolean;
  /** The session's call before, and what the model took from it. */
  readonly former: { readonly call: Call; readonly beliefs: Beliefs } | null;
}

/**
 * I6: what the request tells is what the world says: at the boundary, or, for an epoch's first call,
 * in the string that was frozen; of observed sources, at the session's call before. I8: of what
 * can't be observed nothing is said and nothing forgotten. I10: the same after an undo.
 */
export function fidelity(reading: Reading): readonly Violation[] {
  const { call } = reading;
  const wrong = [
    ...loaded(reading),
    ...(reading.isHeld ? nested(reading) : []),
    ...observed(reading),
  ];
  const undone = reading.former !== null && isShortened(reading.former.call, call);
  return wrong.flatMap((violation) =>
    undone && violation.invariant === "I6" && !call.opened
      ? [violation, { ...violation, invariant: "I10" as const }]
      : [violation],
  );
}

/** Whether the history is shorter than it was: an undo, or the head lost to a compaction. */
function isShortened(former: Call, call: Call): boolean {
  const ids = new Set(call.array.map(({ info }) => info.id));
  return former.array.some(({ info }) => !ids.has(info.id));
}

function isUndone(former: Call, call: Call): boolean {
  return former.array.some(({ info }) => !call.rowIds.has(info.id));
}

/** The call before, where nothing but what the boundary says can have changed a belief. */
function predecessor({ call, former }: Reading): Reading["former"] {
  if (!former || former.call.live || former.call.location !== call.location) return null;
  const isCarriedOn = call.opened?.cause === "compacted" && !isUndone(former.call, call);
  return isCarriedOn || !isShortened(former.call, call) ? former : null;
}

function differs(invariant: Violation["invariant"], of: string, told: unknown, is: unknown) {
  const show = (value: unknown) =>
    JSON.stringify(value instanceof Map ? [...value] : (value ?? null));
  const what = `${of}: told ${show(told)} where it is ${show(is)}`;
  return show(told) === show(is) ? [] : [{ invariant, what }];
}

function loaded(reading: Reading): readonly Violation[] {
  const { call, beliefs } = reading;
  const truth = call.opened ? call.atSend : call.atBoundary;
  const ambient = (of: Beliefs) => selectInstructions(of, "ambient");
  const isModelKnown = call.atBoundary.catalogue === "up" || call.opened !== null;
  return [
    ...differs("I6", "date", beliefs.date, truth.date),
    ...(isModelKnown
      ? differs("I6", "model", beliefs.model, truth.model)
      : unsaid("model", reading, (of) => of.model)),
    ...(call.atBoundary.ambient !== null
      ? differs("I6", "instructions", ambient(beliefs), truth.ambient ?? ambient(beliefs))
      : unsaid("instructions", reading, ambient)),
  ];
}

/** I8. What was never told, an epoch's first call may tell as the host has it. */
function unsaid(
  of: string,
  reading: Reading,
  read: (beliefs: Beliefs) => string | null | ReadonlyMap<string, string>,
): readonly Violation[] {
  const former = predecessor(reading);
  if (!former) return [];
  const before = read(former.beliefs);
  const isNothing = before === null || (before instanceof Map && before.size === 0);
  if (isNothing && reading.call.opened) return [];
  return differs("I8", of, read(reading.beliefs), before);
}

function nested(reading: Reading): readonly Violation[] {
  const { call, beliefs } = reading;
  const former = predecessor(reading);
  const told = selectInstructions(beliefs, "nested");
  const before = former ? selectInstructions(former.beliefs, "nested") : told;
  return [...new Set([...told.keys(), ...before.keys()])].flatMap((path) => {
    const content = call.atBoundary.nested.get(path);
    // A file of the other Location, shown in an older result.
    if (content === undefined) return [];
    // An older copy may stand in an epoch's first call; the present state is told with the next one.
    if (call.opened && isShown(call, path)) return [];
    const belief = told.get(path) ?? "";
    if (content !== null) return differs("I6", path, belief, content);
    return former ? differs("I8", path, belief, before.get(path) ?? belief) : [];
  });
}

function isShown(call: Call, path: string): boolean {
  return call.array.some(({ parts }) =>
    parts.some((part) => isTool(part) && JSON.stringify(part.state).includes(JSON.stringify(path))),
  );
}

function observed(reading: Reading): readonly Violation[] {
  const { call, beliefs, former } = reading;
  const kinds: readonly ObservedKind[] = ["references", "mcp", "skills"];
  return kinds.flatMap((kind) => {
    const belief = beliefs.observed[kind];
    if (call.opened) return differs("I6", kind, belief, call.atSend.observed[kind]);
    if (!former || former.call.live) return [];
    // A process that did not make the call before has seen nothing of what it showed.
    return former.call.instanceId === call.instanceId
      ? differs("I6", kind, belief, former.call.atSend.observed[kind])
      : unsaid(kind, reading, (of) => of.observed[kind]);
  });
}
