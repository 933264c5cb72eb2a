// The suites whose projects list their own plugins. Each registers its tests when it is imported.
import "./aside.suite.ts";
import "./neighbours.suite.ts";
import "./faults-storage.suite.ts";
import "./faults-disk.suite.ts";
import "./tool-list.suite.ts";
