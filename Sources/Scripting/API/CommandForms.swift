/// The forms of a command that users of other runners know, as keys of its definition.
extension Library {
  static let commandForms: [APIRecord.Field] = [
    .init(
      "steps", needs: [],
      "((async fun(input: any, emit: fun(value: any)): any)|string|(string|number)[]|rac.CommandStep)[]?",
      "instead of `run`: its work in steps, each of a form that `run` has or another command, one after the other up to the first that fails"
    ),
    .init(
      "precondition", needs: [], "rac.Signal<boolean>|(fun(): boolean, string?)?",
      "as `enabled`, but asked before anything of the run is executed, what it needs included"),
    .init(
      "confirm", needs: [], "(string|(fun(input: any): string|false|nil))?",
      "a question that a person has to answer with yes before anything is executed, or a function of the input that returns one, or nothing to ask nothing; it cannot wait"
    ),
    .init("default", needs: [], "boolean?", "whether it is executed when no command is named"),
    .init(
      "tty", needs: [], "boolean?",
      "whether its processes have a pseudo-terminal of their own for their output and errors, which the runner passes on"
    ),
    .init(
      "stdin", needs: [], "boolean?",
      "whether the standard input of its processes stays open where they would have none, as in the hub and the panel, for lines that `raclette input`, the panel's API and agents send"
    ),
    .init(
      "os", needs: [], "string|string[]|nil",
      "the systems that it is for: linux, macos, freebsd, openbsd, netbsd, windows"),
    .init(
      "panel", needs: [], "rac.PanelPlace?", "how `raclette panel` shows it, besides its button"),
    .init(
      "mcp", needs: [], "boolean?",
      "whether `raclette mcp` offers it as a tool of its own, with its parameters; the tool `run` executes every command"
    ),
  ]

  /// The keys of a definition that a file can set for all its commands.
  static let defaults = APIRecord(
    name: "rac.Defaults", summary: "What the commands below have unless they say otherwise.",
    fields: commandDefinition.fields.filter { field in
      [
        "concurrency", "cwd", "env", "env_file", "group", "interactive", "jobserver", "os",
        "replay", "retry", "secrets", "shell", "timeout", "tty", "when_busy",
      ].contains(field.name)
    } + [
      .init(
        "resources", needs: [], "table<string, integer|string>?",
        "what the executions of this process may use: numbers, such as `gpu = 2`, or sizes, such as `memory = \"12G\"`; `--resource` counts more"
      )
    ])

  static let panelPlace = APIRecord(
    name: "rac.PanelPlace", summary: "How a command stands in `raclette panel`.",
    fields: [
      .init("pin", needs: [], "boolean?", "whether it also stands in the header of each page"),
      .init(
        "refresh", needs: [], "boolean?",
        "whether each page has a refresh control for it, which turns until its execution has ended"),
      .init("input", needs: [], "any", "the fixed input of both; without, that of no arguments"),
    ])

  static let need = APIRecord(
    name: "rac.Need", summary: "A command that another one needs, with its input.",
    fields: [
      .init("[integer]", needs: [], "string", "the name of the command, at 1"),
      .init("[string]", needs: [], "any", "the values of its parameters, by their names"),
    ])

  static let needs = APIRecord(
    name: "rac.Needs", summary: "The commands that another one needs.",
    fields: [
      .init("[integer]", needs: [], "string|rac.Need", "a command"),
      .init(
        "in_order", needs: [], "boolean?",
        "whether they are executed one after the other, up to the first that fails; false: as many at a time as possible"
      ),
    ])

  static let commandStep = APIRecord(
    name: "rac.CommandStep",
    summary: "A step that executes a command, after what that needs, and sends its values.",
    fields: [
      .init("command", needs: [], "string", "the name of the command"),
      .init("[string]", needs: [], "any", "the values of its parameters, by their names"),
    ])

  static let executeOptions = APIRecord(
    name: "rac.ExecuteOptions", summary: "How a command is executed.",
    fields: [
      .init(
        "needs", needs: [], "boolean?", "whether what it needs is executed before; true")
    ])
}
