// Why a PostgreSQL server gave no access, by the error of its driver. Pure.

/** `tls`: the line can't be made as the address demands. `login`: user or password. `database`: there is none. */
export type AccessFault = "unreachable" | "tls" | "login" | "database" | "other";

const NETWORK = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENETUNREACH|EPIPE|ENOENT)/;
/** Of SQLSTATE: a wrong password, no such role, nobody from there; and what the driver says without one. */
const LOGIN = /^28/;
const NO_DATABASE = "3D000";
const TLS = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO|^UNABLE_TO_/;

export function accessFault(error: unknown): AccessFault {
  if (!(error instanceof Error)) return "other";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // A file is opened for its certificates only.
  const isOfFile = "syscall" in error && error.syscall === "open";
  if (isOfFile || TLS.test(code) || /SSL|certificate/.test(error.message)) return "tls";
  if (LOGIN.test(code) || error.message.startsWith("SASL")) return "login";
  if (code === NO_DATABASE) return "database";
  if (NETWORK.test(code) || /timeout|terminated/.test(error.message)) return "unreachable";
  return "other";
}
