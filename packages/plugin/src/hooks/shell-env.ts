// shell.env: the configured variables of the working directory.
import type { Notices } from "../log/notices.ts";
import type { ShellEnvironment } from "../options/shell-environment.ts";

/** shell.env: the configured variables of the working directory, over those of other plugins. */
export async function overlayEnvironment(
  environment: ShellEnvironment,
  workingDirectory: string,
  env: Record<string, string>,
): Promise<void> {
  Object.assign(env, await environment.of(workingDirectory));
}

/** Names alone: what they were set to is nobody's to read. */
export function tellRefused({ refused }: ShellEnvironment, notices: Notices): void {
  for (const name of refused) {
    notices.notice({
      code: `environment_protected:${name}`,
      severity: "warning",
      message: `The variable ${name} belongs to OpenCode, so the value in your configuration is not used.`,
      remedy: "Take it out of `environment` in Session Runtime's config.",
    });
  }
}
