// A plugin of the host's config.

/** A plugin that the host loads, with what is known of it from outside. */
export interface LoadedPlugin {
  readonly spec: string;
  /** The config that names it. */
  readonly source: string;
  /** What its entry says beside the spec; undefined for an entry that is only a spec. */
  readonly options: unknown;
  readonly isOurs: boolean;
}
