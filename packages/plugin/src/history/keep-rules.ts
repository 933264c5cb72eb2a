// Defines what the settings keep, whatever a session is about.

export interface KeepRules {
  readonly tool: (name: string) => boolean;
  /** Takes a path relative to the project's folder. */
  readonly file: (path: string) => boolean;
}
