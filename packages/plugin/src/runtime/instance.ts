// One open instance, the same on every host: its services, the runtime, the features, and its end.
// Folder: One open instance on any host: the port to the host, settings, features and jobs, composed in one order.
import { createOutsideWarning } from "../config/warning.ts";
import type { OpenCommand } from "../feature-api/command.ts";
import { mapDisabledCommands, mapFormerCommandNames } from "../feature-api/declared-commands.ts";
import type { ProvidedLookup } from "../feature-api/extension-point.ts";
import { loadStatusSections } from "../feature-api/feature.ts";
import {
  createSentHistories,
  type FeatureContext,
  JobQueue,
} from "../feature-api/feature-context.ts";
import { ExtensionRegistry, type OpenFeature, openFeatures } from "../feature-api/open-features.ts";
import { checkFeatures } from "../feature-api/opening-order.ts";
import { createWithheldToolsLookup } from "../feature-api/withheld-tools.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { ReadSection } from "../status/section.ts";
import { ModelCatalogue } from "./catalogue.ts";
import { reportConfigWarnings } from "./channels.ts";
import { composeRuntime } from "./compose-runtime.ts";
import {
  CommandNames,
  createHookDispatcher,
  type DispatchHook,
  guardTools,
  type RunTool,
} from "./dispatch-hooks.ts";
import type { Host } from "./host.ts";
import { createJobRunner } from "./job-runner.ts";
import { createServices, type Services } from "./services.ts";
import type { StartupConfig } from "./startup-config.ts";
import { countTokensByTool, WithheldToolLookup } from "./unoffered-tools.ts";

export interface Instance extends Services {
  /** The features in list order; empty until all are open. */
  readonly featureInstances: readonly OpenFeature[];
  /** Finds what the open features provide; finds nothing until all of them are open. */
  readonly provided: ProvidedLookup;
  readonly runtime: SessionRuntime;
  readonly catalogue: ModelCatalogue;
  /** Runs jobs; null if the host allows no model calls outside of the turns. */
  readonly runner: JobRunner | null;
  /** Calls the hooks of features. */
  readonly dispatch: DispatchHook;
  readonly runTool: RunTool;
  readonly withheldTools: WithheldToolLookup;
  readonly commands: () => readonly OpenCommand[];
  /** The features' sections of a session's status, including those of features that are off. */
  readonly sections: readonly ReadSection[];
  /** Says how to turn on each command that is off. */
  readonly offCommands: ReadonlyMap<string, string>;
  readonly commandNames: CommandNames;
  readonly close: () => Promise<void>;
}

/**
 * Composes the instance and opens its features.
 * @throws UserFacingError if what the listed features need does not match what they provide
 */
export async function openInstance(host: Host, startup: StartupConfig): Promise<Instance> {
  checkFeatures(startup.listed);
  const featureInstances: OpenFeature[] = [];
  const sections = await loadStatusSections(startup.listed);
  const provided = new ExtensionRegistry();
  const parts = { ...startup, featureInstances, provided, sections };
  const { instance, context } = composeInstance(host, parts);
  featureInstances.push(...(await openFeatures(startup.features, context)));
  provided.add(featureInstances);
  return instance;
}

interface InstanceParts
  extends StartupConfig,
    Pick<Instance, "featureInstances" | "provided" | "sections"> {}

interface ComposedInstance {
  readonly instance: Instance;
  readonly context: FeatureContext;
}

/**
 * Composes the parts, each of which is complete before the next one uses it. Only `featureInstances` and
 * `provided` grow, once everything that features may use exists, so they are read at each call.
 */
export function composeInstance(host: Host, parts: InstanceParts): ComposedInstance {
  const { featureInstances, provided, sections, offered, features } = parts;
  const base = createServices(host, parts);
  const { failures, database, log } = base;
  const catalogue = new ModelCatalogue(host.models);
  const { sent, hooks } = createSentHistories();
  const dispatch = createHookDispatcher(featureInstances, failures, hooks);
  const tokens = countTokensByTool(features);
  const withheldTools = new WithheldToolLookup(
    [...tokens.keys()],
    createWithheldToolsLookup(provided, failures),
  );
  const ours = {
    catalogue,
    featureInstances,
    provided,
    dispatch,
    toolTokens: tokens,
    withheldTools,
  };
  const runtime = composeRuntime(base, ours);
  const runner =
    host.jobHost && createJobRunner(base, { runtime, featureInstances, host: host.jobHost });
  const instance: Instance = {
    ...base,
    featureInstances,
    provided,
    runtime,
    catalogue,
    runner,
    dispatch,
    withheldTools,
    sections,
    runTool: guardTools(() => featureInstances.flatMap(({ tools }) => tools ?? []), failures),
    commands: () => featureInstances.flatMap((feature) => feature.commands ?? []),
    offCommands: mapDisabledCommands(offered, features),
    commandNames: new CommandNames(mapFormerCommandNames(offered), base.notices),
    async close() {
      await runner?.close();
      await dispatch("closed");
      runtime.turns.flush();
      database.close();
      await log.flush();
    },
  };
  return { instance, context: { ...createFeatureContext(base, instance, parts), sent } };
}

function createFeatureContext(
  base: Services,
  { runtime, runner }: Pick<Instance, "runtime" | "runner">,
  { configured }: StartupConfig,
): Omit<FeatureContext, "sent"> {
  const { edge, database, notices, now } = base;
  const refused = [...configured.projectSources].map(([key, place]) => {
    const reportOutsidePath = (path: string) =>
      reportConfigWarnings(notices, [createOutsideWarning(place, path)]);
    return [key, reportOutsidePath] as const;
  });
  return {
    ...base,
    host: edge.asked,
    hostProject: edge.place.project,
    confined: new Map(refused),
    changed: (sessionId) => edge.screen.changed(sessionId),
    missingSources: (call) => runtime.listMissingSources(call),
    async nextCall(sessionId) {
      await database.ensure();
      return runtime.computeNextCall(sessionId, await edge.listed(sessionId));
    },
    jobs: new JobQueue({
      store: () => database.current().jobs,
      worker: edge.place.worker,
      project: () => base.project.known,
      now,
      added: () => runner?.wake(),
    }),
    propose(proposal) {
      database.current().proposals.add(proposal, now());
      runtime.reloadProposals(proposal.sessionId);
    },
  };
}
