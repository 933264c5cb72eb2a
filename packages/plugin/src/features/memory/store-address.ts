// Parses the address of a team's store, and selects what may be shown of it. Pure.

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** The parameters that an address may have; any other would be silently ignored. */
const URL_PARAMETERS = ["host", "sslmode", "sslrootcert"];

/** The protection of the connection to the server. */
export type Privacy = "verified" | "encrypted" | "plain" | "local";

export interface Address {
  /** The address with the user's password, for the driver alone. */
  readonly url: string;
  readonly host: string;
  /** The socket's folder from the parameter `host`; null if the server is reached by network. */
  readonly socket: string | null;
  readonly sslMode: SslMode;
  /** A file with certificates to trust in place of the system's. */
  readonly rootFile: string | null;
  readonly privacy: Privacy;
  /** The host and the database, for people. */
  readonly shown: string;
}

/** `unencoded`: it is unclear where the password ends, and a part of it would be taken for the host. */
export type AddressFault = "unencoded" | "other";

/** Never quotes the address: any part of it might belong to the password. */
export function describeFault(fault: AddressFault): string {
  switch (fault) {
    case "unencoded":
      return "a password with @ / ? # or % in it must be percent-encoded: %40 for @, %2F for /, %3F for ?, %23 for #, %25 for %";
    case "other":
      return 'expected "postgres://user@host/database", with no parameters but `sslmode`, `sslrootcert` and `host`';
  }
}

export function parseAddress(text: string): Address | AddressFault {
  if (!isEncoded(text)) return "unencoded";
  if (!URL.canParse(text)) return "other";
  const url = new URL(text);
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") return "other";
  const given = url.searchParams;
  if ([...given.keys()].some((name) => !URL_PARAMETERS.includes(name))) return "other";
  const sslMode = SSL_MODES.find((mode) => mode === (given.get("sslmode") ?? "prefer"));
  if (sslMode === undefined) return "other";
  const socket = given.get("host");
  const host = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, "");
  const [rootFile, shown] = [given.get("sslrootcert"), `${url.host || socket}${url.pathname}`];
  url.search = "";
  return {
    url: url.href,
    host,
    socket,
    sslMode,
    rootFile,
    shown,
    privacy: classifyPrivacy(sslMode, socket !== null || isLocal(host)),
  };
}

/**
 * Returns true if at most one @ occurs, before any character that ends the host, and each % begins a code.
 */
function isEncoded(text: string): boolean {
  const rest = text.replace(/^[a-z]+:\/\//i, "");
  const [place = ""] = rest.split("?", 1);
  const before = place.split(/[/#]/, 1)[0] ?? "";
  if (rest.includes("#") || rest.split("@").length > 2) return false;
  if (rest.includes("@") && !before.includes("@")) return false;
  return !/%(?![0-9a-f]{2})/i.test(rest) && canDecode(place);
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

function classifyPrivacy(sslMode: SslMode, isHere: boolean): Privacy {
  if (sslMode === "verify-full" || sslMode === "verify-ca") return "verified";
  if (sslMode === "require") return "encrypted";
  return isHere ? "local" : "plain";
}

function isLocal(host: string): boolean {
  return host === "" || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
}
