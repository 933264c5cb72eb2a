// Chooses the hosts that setup is for: those that were found, or the one that was named.
import { CliError, EXIT } from "../cli-error.ts";
import { type FoundHost, findHost, OPENCODE, PI } from "../host/find-host.ts";
import { notFound, refuseUnseen, requireHost } from "../host/require-host.ts";
import { withProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openCodePart } from "./opencode-part.ts";
import type { Part } from "./part.ts";
import { piPart } from "./pi-part.ts";
import { askHosts } from "./questions.ts";
import type { SetupRequest } from "./request.ts";
import { isForPi } from "./resolve-wish.ts";

/** Returns at least one host's part. @throws CliError where no host was found, or not the one that was named */
export async function chooseParts(
  request: SetupRequest,
  terminal: Terminal,
): Promise<readonly Part[]> {
  const { opencode, pi } = await hostsFor(request, terminal);
  const parts = [
    ...(opencode === null ? [] : [openCodePart(opencode, request, terminal)]),
    ...(pi === null ? [] : [piPart(pi, request, terminal)]),
  ];
  return parts.length > 1 && request.mode === "ask" ? askHosts(parts) : parts;
}

interface Hosts {
  readonly opencode: FoundHost | null;
  readonly pi: FoundHost | null;
}

async function hostsFor(request: SetupRequest, terminal: Terminal): Promise<Hosts> {
  const { env } = terminal;
  const openCode = () => withProgress(terminal, "Looking for OpenCode", () => requireHost(env));
  // A spec is one host's package.
  const hosts =
    request.hosts === "found" && request.spec !== undefined
      ? isForPi(request.spec, request.directory)
        ? "pi"
        : "opencode"
      : request.hosts;
  switch (hosts) {
    case "opencode":
      return { opencode: await openCode(), pi: null };
    case "pi":
      return { opencode: null, pi: await requirePi(terminal) };
    case "found": {
      const look = await lookForPi(terminal);
      const pi = look.found;
      if (pi === null) refuseUnseen(look, PI);
      if (pi === null) return { opencode: await openCode(), pi };
      const search = await withProgress(terminal, "Looking for OpenCode", () =>
        findHost(env, OPENCODE),
      );
      if (search.found === null) refuseUnseen(search, OPENCODE);
      return { opencode: search.found === null ? null : await openCode(), pi };
    }
  }
}

function lookForPi(terminal: Terminal) {
  return withProgress(terminal, "Looking for Pi", () => findHost(terminal.env, PI));
}

async function requirePi(terminal: Terminal): Promise<FoundHost> {
  const search = await lookForPi(terminal);
  if (search.found !== null) return search.found;
  refuseUnseen(search, PI);
  throw new CliError(
    "pi-missing",
    notFound(search, PI, terminal.env),
    "Install Pi: npm install -g @earendil-works/pi-coding-agent (it needs Node 22.19 or later). If it is installed somewhere else, set PI_BIN to its path.",
    EXIT.missing,
  );
}
