// For what sources are asked.
export interface SourceScope {
  readonly location: { readonly directory: string; readonly worktree: string };
  readonly sessionId: string;
  readonly agent: string;
  readonly model: { readonly providerId: string; readonly modelId: string };
}
