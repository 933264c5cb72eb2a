// The scope that sources are loaded for: a place, a session, an agent and a model.
export interface SourceScope {
  readonly location: { readonly directory: string; readonly worktree: string };
  readonly sessionId: string;
  readonly agent: string;
  readonly model: { readonly providerId: string; readonly modelId: string };
}
