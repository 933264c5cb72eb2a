// A folder with a project and a database, and the environment of an edge that works there.
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textsShownInProcess } from "../../src/log/notices.ts";
import { forget } from "./probe.ts";

export interface Turn {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly paid_nanos: number | null;
}

export class Place {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-host-")));
  readonly project = join(this.root, "project");
  readonly database = join(this.root, "runtime.db");
  readonly #former = new Map<string, string | undefined>();

  constructor() {
    mkdirSync(join(this.project, ".git"), { recursive: true });
    const config = join(this.root, "config/opencode");
    mkdirSync(config, { recursive: true });
    // On a busy machine a source is late and not unavailable.
    const settings = { observation: { timeoutMs: 20_000 } };
    writeFileSync(join(config, "session-runtime.json"), JSON.stringify(settings));
    this.#set({
      XDG_DATA_HOME: join(this.root, "data"),
      XDG_CONFIG_HOME: join(this.root, "config"),
      OPENCODE_CONFIG_DIR: config,
      OPENCODE_TEST_HOME: this.root,
      PI_CODING_AGENT_DIR: join(this.root, "agent"),
      SESSION_RUNTIME_DB: this.database,
      SESSION_RUNTIME_TEST: "1",
      SESSION_RUNTIME_TEST_FEATURE: join(import.meta.dir, "probe.ts"),
    });
    this.write("AGENTS.md", "Use tabs.");
    // What was shown once per process is to be shown once per test.
    textsShownInProcess.clear();
    forget();
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.project, path), text);
  }

  turns(): readonly Turn[] {
    const database = new Database(this.database, { readonly: true });
    const turns = database
      .query<Turn, []>("SELECT input_tokens, output_tokens, paid_nanos FROM turn ORDER BY seq")
      .all();
    database.close();
    return turns;
  }

  remove(): void {
    for (const [name, value] of this.#former) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(this.root, { recursive: true, force: true });
  }

  #set(variables: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(variables)) {
      this.#former.set(name, process.env[name]);
      process.env[name] = value;
    }
  }
}
