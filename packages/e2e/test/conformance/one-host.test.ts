// The suites that share one host. Each registers its tests when it is imported.
import "./epochs.suite.ts";
import "./compaction.suite.ts";
import "./undo.suite.ts";
import "./switches.suite.ts";
import "./failures.suite.ts";
import "./many.suite.ts";
import "./nested.suite.ts";
import "./providers.suite.ts";
import "./sources.suite.ts";
import "./observed.suite.ts";
import "./prune.suite.ts";
import "./faults-files.suite.ts";
import "./golden.suite.ts";
