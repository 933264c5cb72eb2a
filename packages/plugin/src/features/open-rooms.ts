// Opens every feature for one plugin instance.
import type { Points } from "./extension-point.ts";
import type { Feature, Room } from "./feature.ts";
import type { House } from "./house.ts";
import { openingOrder, providersFor } from "./opening-order.ts";
import { Provided } from "./provided.ts";
import { Refusal } from "./refusal.ts";

export interface OpenRoom extends Room {
  /** The name of its feature. */
  readonly feature: string;
  /** The keys of what it provides. */
  readonly points?: Points;
}

/**
 * In the order of the list, each opened after those that provide what it is given. A room that can't be
 * opened stays shut, and costs those alone that need it.
 */
export async function openRooms(
  features: readonly Feature[],
  house: House,
): Promise<readonly OpenRoom[]> {
  const opening = new Map<Feature, Promise<readonly OpenRoom[]>>();
  for (const feature of openingOrder(features)) {
    const providers = providersFor(feature, features).flatMap((one) => opening.get(one) ?? []);
    opening.set(feature, openAfter(providers, feature, house));
  }
  const rooms = await Promise.all(features.flatMap((feature) => opening.get(feature) ?? []));
  return rooms.flat();
}

/** None where it could not be opened. */
async function openAfter(
  providers: readonly Promise<readonly OpenRoom[]>[],
  feature: Feature,
  house: House,
): Promise<readonly OpenRoom[]> {
  const { name, provides, needs = {} } = feature;
  try {
    const provided = new Provided((await Promise.all(providers)).flat());
    const missing = Object.values(needs).find((point) => provided.all(point).length === 0);
    if (missing) throw new Refusal(`${name} needs ${missing.name}, which is not there.`);
    const room = await feature.open(house, provided);
    return [{ feature: name, ...(provides && { points: provides }), ...room }];
  } catch (error) {
    house.failures.failed(`feature ${name}`, error);
    return [];
  }
}

/** What is made of all rooms that are open: once, and again where there are more of them. */
export function onceOpen<Made>(rooms: readonly OpenRoom[], make: () => Made): () => Made {
  let made: { readonly rooms: number; readonly value: Made } | null = null;
  return () => {
    if (made?.rooms !== rooms.length) made = { rooms: rooms.length, value: make() };
    return made.value;
  };
}
