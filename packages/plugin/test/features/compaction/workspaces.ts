import type { Files } from "./workspace.ts";

/** A refactor without a workflow. */
export const refactor: Files = {
  "SESSION.md": `# Session

**Focus:** refactor-auth

**Open Work:**
- migrate remaining callers of the old \`validateSession()\` to the new utility.

**Completed:**
- [x] Extracted shared token validation into \`src/auth/validate.ts\`.
- [x] Removed duplicate middleware from \`src/routes/api.ts\`.

**Decisions:**
- Decision: keep backward-compatible exports from the old location until v3.

**Pending Tests:** integration tests for the new token validator.

**Blockers:** none.
`,
};

const SPEC = ".codex/specs/001-prd-compaction";

/** A spec whose first batch is under way. */
export const specExecute: Files = {
  "AGENTS.md": `# Rules

Specs go spec-create -> spec-design -> spec-tasks -> spec-execute.
`,
  "SESSION.md": `# Session

- Stage: spec-execute
- Spec: 001-prd-compaction
- Blockers: none.
`,
  [`${SPEC}/requirements.md`]: "# Requirements\n\nA compaction keeps the work.\n",
  [`${SPEC}/design.md`]: "# Design\n\nThe hook reads the artifacts.\n",
  [`${SPEC}/tasks.md`]: `# Tasks

## Batch 1 — Foundation

- [x] 1 — Parse SESSION.md
- [ ] 2 — Build continuation context

## Batch 2 — Validation

- [ ] 3 — Add workflow tests
`,
  [`${SPEC}/context.md`]: `# Context

## Batch 0

- Decision: prefer inject-only compaction context
  - Rationale: preserves default OpenCode prompt behavior.
`,
};

const BUG = ".codex/bugs/session-resume-regression";

/** A bug whose fix has been approved. */
export const bugFix: Files = {
  "SESSION.md": `# Session

Working in bug-fix on session-resume-regression.

## Open Work
- Preserve explicit workflow approval semantics around bug-fix.

## Blockers
None.
`,
  [`${BUG}/report.md`]: "# Report\n\nA resumed session forgets its stage.\n",
  [`${BUG}/analysis.md`]: `# Analysis

Root cause: the hook is never told.

## Decisions
- Choose the minimal safe fix in the compaction hook without adding persistent memory.
`,
  [`${BUG}/harness/progress.md`]: `# Progress

- bug-fix approved; implement fix and add regression coverage
`,
};
