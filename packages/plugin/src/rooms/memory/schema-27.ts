// Schema 27: memories and notes go along with their project, by triggers, as every table's rows may.

const WITHOUT_PROJECTS = `
  DELETE FROM memory_workspace WHERE name = OLD.workspace
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = OLD.workspace);`;

/** Of what both projects say, the other's own stays. Each memory gets a number of the other project's. */
export const schema27 = `
CREATE TRIGGER memory_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE OR IGNORE memory SET project = substr(NEW.id, length('moved:') + 1), number = NULL
    WHERE project = NEW.id;
  UPDATE note SET project = substr(NEW.id, length('moved:') + 1) WHERE project = NEW.id;
END;
CREATE TRIGGER workspace_is_left AFTER UPDATE OF workspace ON memory_project
WHEN OLD.workspace IS NOT NEW.workspace BEGIN ${WITHOUT_PROJECTS}
END;
CREATE TRIGGER workspace_loses_project AFTER DELETE ON memory_project BEGIN ${WITHOUT_PROJECTS}
END;
`;
