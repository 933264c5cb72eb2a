// Creates the key files feature: its source and its command.

import { BoundedMap } from "../../context/bounded-map.ts";
import { make, type SystemContext } from "../../context/system-context.ts";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { faultFields } from "../../log/fault.ts";
import { projectPlace } from "../../project/project-root.ts";
import type { SessionId } from "../../storage/records.ts";
import { Grammars } from "./grammars.ts";
import { keyFilesSource } from "./key-file-listing.ts";
import { keyFileSettings } from "./key-file-settings.ts";
import { filesText, NO_FILES } from "./key-file-text.ts";
import { touchedInProject } from "./key-file-touches.ts";
import { KeyFiles } from "./key-files.ts";
import { Outliner } from "./outliner.ts";

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
