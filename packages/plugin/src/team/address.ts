// The address of a team's store: what it may say, and what may be shown of it. Pure.

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** What of an address's parameters is read; another one would be left out without a word. */
const PARAMETERS = ["host", "sslmode", "sslrootcert"];

/** How the line to the server is kept from others. */
export type Privacy = "verified" | "encrypted" | "plain" | "local";

export interface Address {
  /** With the user's password: for the driver alone. */
  readonly url: string;
  readonly host: string;
  /** Where `host` is a folder, the server is reached by the socket in it. */
  readonly socket: string | null;
  readonly sslMode: SslMode;
  /** A file with certificates to trust in place of the system's. */
  readonly rootFile: string | null;
  readonly privacy: Privacy;
  /** Host and database, for people. */
  readonly shown: string;
}

/** Null: it is not such an address, or has a parameter that would not be followed. */
export function readAddress(text: string): Address | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") return null;
  const given = url.searchParams;
  if ([...given.keys()].some((name) => !PARAMETERS.includes(name))) return null;
  const sslMode = SSL_MODES.find((mode) => mode === (given.get("sslmode") ?? "prefer"));
  if (sslMode === undefined) return null;
  const socket = given.get("host");
  const host = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, "");
  const [rootFile, shown] = [given.get("sslrootcert"), `${url.host || socket}${url.pathname}`];
  url.search = "";
  return {
    ...{ url: url.href, host, socket, sslMode, rootFile, shown },
    privacy: privacyOf(sslMode, socket !== null || isLocal(host)),
  };
}

function privacyOf(sslMode: SslMode, isHere: boolean): Privacy {
  if (sslMode === "verify-full" || sslMode === "verify-ca") return "verified";
  if (sslMode === "require") return "encrypted";
  return isHere ? "local" : "plain";
}

function isLocal(host: string): boolean {
  return host === "" || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
}
