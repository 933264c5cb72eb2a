// The project of a house: whichever room asks first finds it out for all.
import type { House } from "../../features/house.ts";
import { settingsOf } from "../../features/settings.ts";
import { enterProject } from "./identity.ts";
import { KnownProject } from "./known-project.ts";
import { apartName, apartText } from "./memory-text.ts";
import type { Project } from "./record.ts";
import { memorySettings } from "./settings.ts";
import { type MemoryStore, sqliteMemoryStore } from "./sqlite-store.ts";

const known = new WeakMap<House, KnownProject>();

export function projectOfHouse(house: House): KnownProject {
  const present = known.get(house);
  if (present) return present;
  const project = new KnownProject(
    () => house.database.current().store(sqliteMemoryStore),
    (store) => entered(house, store),
  );
  known.set(house, project);
  return project;
}

async function entered(house: House, store: MemoryStore): Promise<Project> {
  const project = await enterProject(store, house.location.directory, house.now());
  store.takeOver(house.project, project.id);
  if (settingsOf(house.config, memorySettings).enabled) askOfApart(house, store, project);
  return project;
}

/** A clone of another's repository is asked about, once. Lists go on saying it. */
function askOfApart({ notices }: House, store: MemoryStore, { id }: Project): void {
  const apart = store.keptApart(id);
  if (apart?.asked !== "not yet") return;
  notices.notice({
    code: "memory_kept_apart",
    severity: "info",
    message: apartText(apart),
    remedy: `If they are one project to you, /ctx-memory join lets this clone use and change ${apartName(apart)}'s memories.`,
  });
  store.asked(id);
}
