// Renders what was observed; a source that fails to render affects only itself.
import { demote, type ObservedContext } from "../context/observe.ts";
import { EmptyRenderingError, FailedRenderingError } from "../context/rendering.ts";

interface RenderResult<Outcome> {
  readonly outcome: Outcome;
  /** The observation, with each source that could not be rendered marked unavailable. */
  readonly observed: ObservedContext;
}

/**
 * Renders what was observed. A source that fails affects only itself: its last announcement stands, and the
 * others are announced. The loop ends, as an unavailable source is not rendered.
 */
export function renderable<Outcome>(
  observed: ObservedContext,
  render: (observed: ObservedContext) => Outcome,
): RenderResult<Outcome> {
  try {
    return { outcome: render(observed), observed };
  } catch (error) {
    if (!(error instanceof EmptyRenderingError || error instanceof FailedRenderingError)) {
      throw error;
    }
    return renderable(demote(observed, error.key, error.message), render);
  }
}
