import { useStage } from "./stage.ts";

/** A host without a plugin of its own, for the suites whose projects each list theirs. */
export const stage = useStage({ plugin: [] });
