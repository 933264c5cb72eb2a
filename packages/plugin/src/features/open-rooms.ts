// Opens every feature for one plugin instance.
import type { Feature, Room } from "./feature.ts";
import type { House } from "./house.ts";

/** In the order of the list. A room that can't be opened stays shut, and costs no other one. */
export async function openRooms(
  features: readonly Feature[],
  house: House,
): Promise<readonly Room[]> {
  const rooms = await Promise.all(
    features.map(async ({ name, open }): Promise<readonly Room[]> => {
      try {
        return [await open(house)];
      } catch (error) {
        house.failures.failed(`feature ${name}`, error);
        return [];
      }
    }),
  );
  return rooms.flat();
}
