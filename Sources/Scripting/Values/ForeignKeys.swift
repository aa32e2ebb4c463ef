/// The names that other tools give to keys of definitions.
enum ForeignKeys {
  /// Returns the key that is meant by the name that another tool has for it; nil if there is none.
  static func meant(by name: String, among known: Set<String>) -> String? {
    let name = name.lowercased().replacing("-", with: "_")
    return table.first { key, others in known.contains(key) && others.contains(name) }?.key
  }

  /// The names by the key, in order: a name means the first of its keys that the table may have.
  private static let table: [(key: String, others: Set<String>)] = [
    (
      "needs",
      [
        "dep", "deps", "depend", "depends", "depends_on", "dependencies", "dependency", "after",
        "requires", "prerequisites",
      ]
    ),
    ("run", ["cmd", "command", "script", "exec", "execute", "action", "shell_command", "do"]),
    ("steps", ["cmds", "commands", "scripts", "tasks", "sequence"]),
    (
      "cwd",
      ["dir", "directory", "folder", "workdir", "work_dir", "working_dir", "working_directory"]
    ),
    ("outputs", ["generates", "targets", "target", "output", "products", "creates"]),
    ("sources", ["inputs", "input", "files", "file", "source", "srcs"]),
    ("env_file", ["dotenv", "dotenvs", "envfile", "env_files"]),
    ("env", ["environ", "environment", "variables"]),
    ("params", ["args", "arg", "arguments", "argument", "vars", "parameters", "options", "opts"]),
    ("summary", ["doc", "docs", "desc", "help", "title"]),
    ("help", ["description", "desc", "doc", "docs", "summary"]),
    ("private", ["internal", "hidden", "hide"]),
    ("retry", ["retries", "attempts"]),
    ("enabled", ["condition", "if", "when", "only_if", "enable"]),
    ("precondition", ["preconditions", "requirements"]),
    ("aliases", ["alias", "short"]),
    ("choices", ["enum", "values", "allowed", "options", "choice"]),
    ("rest", ["variadic", "nargs", "multiple"]),
    ("confirm", ["prompt", "ask"]),
    ("cache", ["cached"]),
    ("times", ["attempts", "count", "max", "retries"]),
    ("delay", ["wait", "interval"]),
    ("group", ["category", "section", "tags"]),
  ]
}
