// Opens every feature for one plugin instance.
import type { Feature, Room } from "./feature.ts";
import type { House } from "./house.ts";

export interface OpenRoom extends Room {
  /** The name of its feature. */
  readonly feature: string;
}

/** A door that one room has; of several the first one's counts. */
export function firstDoor<Name extends keyof Room>(
  rooms: readonly Room[],
  name: Name,
): Room[Name] | undefined {
  return rooms.find((room) => room[name] !== undefined)?.[name];
}

/** In the order of the list. A room that can't be opened stays shut, and costs no other one. */
export async function openRooms(
  features: readonly Feature[],
  house: House,
): Promise<readonly OpenRoom[]> {
  const rooms = await Promise.all(
    features.map(async ({ name, open }): Promise<readonly OpenRoom[]> => {
      try {
        return [{ feature: name, ...(await open(house)) }];
      } catch (error) {
        house.failures.failed(`feature ${name}`, error);
        return [];
      }
    }),
  );
  return rooms.flat();
}

/** What is made of all rooms that are open: once, and again where there are more of them. */
export function onceOpen<Made>(rooms: readonly OpenRoom[], make: () => Made): () => Made {
  let made: { readonly rooms: number; readonly value: Made } | null = null;
  return () => {
    if (made?.rooms !== rooms.length) made = { rooms: rooms.length, value: make() };
    return made.value;
  };
}
