// Declares recall to the host, and the features beside it: hints, commits, key files, vectors, /ctx-augment.
import {
  FINDERS,
  INBOX,
  KEEP_REF,
  SEARCH_INDEX,
  SEGMENT_SEARCH,
  SEMANTIC_CORPORA,
  SEMANTIC_SEARCH,
} from "../../feature-api/extension-points.ts";
import { defineFeature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import {
  augmentSettings,
  commitSettings,
  keyFileSettings,
  recallSettings,
  searchHintSettings,
  vectorSettings,
} from "./settings.ts";
import { expandTool, searchTool } from "./tools.ts";

/** The index is a feature of its own, because other features write to it or read it. */
export const searchIndexFeature = defineFeature({
  name: "search-index",
  isOn: (config) => selectSettings(config, recallSettings).enabled,
  provides: { index: SEARCH_INDEX, corpus: SEMANTIC_CORPORA },
  open: async (context) => (await import("./index-feature.ts")).createIndexFeature(context),
});

export const searchFeature = defineFeature({
  name: "recall",
  tools: [searchTool, expandTool],
  settings: recallSettings,
  needs: { index: SEARCH_INDEX },
  uses: {
    finders: FINDERS,
    findMeant: SEMANTIC_SEARCH,
    findSegment: SEGMENT_SEARCH,
    keep: KEEP_REF,
  },
  open: async (context, given) =>
    (await import("./create-search.ts")).createSearchFeature(context, given),
});

export const augmentFeature = defineFeature({
  name: "augment",
  isOn: (config) => selectSettings(config, augmentSettings).enabled,
  enableHint: '"augment": { "enabled": true }, "recall": { "enabled": true }',
  commands: [
    {
      name: "ctx-augment",
      formerNames: ["ctx-aug"],
      title: "Send with earlier work",
      description: "Send a prompt together with what earlier work says about it",
      shows: "answer",
    },
  ],
  settings: augmentSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS, inbox: INBOX },
  open: async (context, given) =>
    (await import("./create-augment.ts")).createAugmentFeature(context, given),
});

// Declares the commits feature to the host: recall's tools find commits.

export const commitsFeature = defineFeature({
  name: "commits",
  isOn: (config) => selectSettings(config, commitSettings).enabled,
  settings: commitSettings,
  provides: { finder: FINDERS, corpus: SEMANTIC_CORPORA },
  // Nothing but recall's tools searches for commits.
  needs: { index: SEARCH_INDEX },
  open: async (context, given) =>
    (await import("./create-commits.ts")).createCommitsFeature(context, given),
});

export const searchHintsFeature = defineFeature({
  name: "search-hints",
  isOn: (config) => selectSettings(config, searchHintSettings).enabled,
  settings: searchHintSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS },
  open: async (context, given) =>
    (await import("./create-search-hints.ts")).createSearchHintsFeature(context, given),
});

export const keyFilesFeature = defineFeature({
  name: "key-files",
  isOn: (config) => selectSettings(config, keyFileSettings).enabled,
  enableHint: '"keyFiles": { "enabled": true }',
  commands: [
    {
      name: "ctx-files",
      title: "Key files",
      description: "Show which files this project keeps coming back to",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "files",
      summary: "Show which files a project keeps coming back to",
      load: async () => (await import("./key-file-cli.ts")).filesCli,
    },
  ],
  settings: keyFileSettings,
  // Only the search index knows which files were touched.
  needs: { index: SEARCH_INDEX },
  open: async (context, given) =>
    (await import("./create-key-files.ts")).createKeyFilesFeature(context, given),
});

// Declares vectors to the host: with them recall's tool also searches by meaning.

export const vectorsFeature = defineFeature({
  name: "vectors",
  isOn: (config) => {
    const { url, model } = selectSettings(config, vectorSettings);
    return url !== "" && model !== "";
  },
  status: async () => (await import("./vectors-section.ts")).loadVectorsSection(),
  settings: vectorSettings,
  provides: { search: SEMANTIC_SEARCH },
  // Nothing but recall's tool searches vectors.
  needs: { index: SEARCH_INDEX },
  uses: { corpora: SEMANTIC_CORPORA },
  open: async (context, given) =>
    (await import("./create-vectors.ts")).createVectorsFeature(context, given),
});
