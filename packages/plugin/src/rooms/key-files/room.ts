// Key files in one plugin instance: their source and their command.

import { BoundedMap } from "../../context/newest.ts";
import { make, type SystemContext } from "../../context/system-context.ts";
import type { SearchIndex } from "../../features/extension-points.ts";
import type { FeatureInstance } from "../../features/feature.ts";
import type { FeatureContext } from "../../features/house.ts";
import { selectSettings } from "../../features/settings.ts";
import { projectPlace } from "../../git/project-root.ts";
import { faultFields } from "../../log/fault.ts";
import type { SessionId } from "../../storage/records.ts";
import { filesText, NO_FILES } from "./files-text.ts";
import { Grammars } from "./grammars.ts";
import { KeyFiles } from "./key-files.ts";
import { keyFilesSource } from "./listing.ts";
import { Outliner } from "./outliner.ts";
import { keyFileSettings } from "./settings.ts";
import { touchedInProject } from "./touched.ts";

const MAX_SESSIONS = 64;

interface KeyFilesGiven {
  readonly index: Pick<SearchIndex, "file">;
}

export function createKeyFilesFeature(
  context: FeatureContext,
  { index: { file: index } }: KeyFilesGiven,
): FeatureInstance {
  const { config, location, log, now, project } = context;
  const settings = selectSettings(config, keyFileSettings);
  const failed = (error: unknown) => log.warn("key_files.failed", faultFields(error));
  const outliner = new Outliner({
    ...projectPlace(location.directory),
    failed,
    grammars: new Grammars(),
  });
  const touches = async () => {
    const id = await project.id();
    return index.use((store) => touchedInProject(store, id));
  };
  const files = new KeyFiles({ touches, outliner, settings, now });
  const contexts = new BoundedMap<string, SystemContext>(MAX_SESSIONS);
  const source = (sessionId: SessionId) => make(keyFilesSource(() => files.load(sessionId)));
  return {
    sources: ({ sessionId }) =>
      contexts.getOrCreate(sessionId, () => source(sessionId as SessionId)),
    commands: [
      {
        kind: "action",
        name: "ctx-files",
        dialog: () => null,
        act: async () => ({ text: await shownFiles(files, settings.pinned), shownBy: "note" }),
      },
    ],
    hooks: {
      onEvent({ kind, sessionId }) {
        if (kind !== "deleted") return;
        contexts.delete(sessionId);
        files.forget(sessionId);
      },
      closed: () => index.close(),
    },
  };
}

async function shownFiles(files: KeyFiles, pinned: readonly string[]): Promise<string> {
  const chosen = new Set(await files.chosen());
  const ranked = (await files.ranked()).filter(({ path }) => !pinned.includes(path));
  if (ranked.length + pinned.length === 0) return NO_FILES;
  const list = filesText(ranked, (path) => chosen.has(path), pinned);
  return `${list}\n\n*: new sessions get its outline, as far as 1,000 tokens allow.`;
}
