// Renders what was observed; a source that fails to render affects only itself.
import { demote, type ObservedContext } from "../context/observe.ts";
import { EmptyRenderingError, FailedRenderingError } from "../context/rendering.ts";

interface RenderResult<Outcome> {
  readonly outcome: Outcome;
  /** What was seen, with each source that could not be put into words taken as unavailable. */
  readonly observed: ObservedContext;
}

/**
 * Announces what was observed; a source whose rendering fails costs only itself: what was announced of it
 * stands, and the others are announced. Ends, as an unavailable source is not rendered.
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
