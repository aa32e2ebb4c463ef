/// The forms of a command that users of other runners know, as keys of its definition.
extension Library {
  static let commandForms: [APIRecord.Field] = [
    .init(
      "steps", needs: [],
      "((async fun(input: any, emit: fun(value: any)): any)|string|(string|number)[]|rac.CommandStep)[]?",
      "instead of `run`: steps in any form of `run`, or other commands, executed one after the other until one fails"
    ),
    .init(
      "precondition", needs: [], "rac.Signal<boolean>|(fun(): boolean, string?)?",
      "like `enabled`, but checked before any part of the run is executed, including its needs"),
    .init(
      "confirm", needs: [], "(string|(fun(input: any): string|false|nil))?",
      "a question that a person has to answer with yes before anything is executed, or a function of the input that returns the question, or nothing if there is none; the function cannot wait"
    ),
    .init("default", needs: [], "boolean?", "whether `raclette` without a command executes it"),
    .init(
      "tty", needs: [], "boolean?",
      "whether each of its processes has its own pseudo-terminal for output and errors, which the runner passes on"
    ),
    .init(
      "stdin", needs: [], "boolean?",
      "whether its processes get an open standard input where they would otherwise have none, as in the hub and the panel, for lines that `raclette input`, the panel's API and agents send"
    ),
    .init(
      "os", needs: [], "string|string[]|nil",
      "the systems on which it is available: linux, macos, freebsd, openbsd, netbsd, windows"),
    .init(
      "panel", needs: [], "rac.PanelPlace?", "additional controls for it in `raclette panel`"),
    .init(
      "mcp", needs: [], "boolean?",
      "whether `raclette mcp` offers it as a separate tool with its parameters; the tool `run` executes every command"
    ),
  ]

  /// The keys of a definition that a file can set for all its commands.
  static let defaults = APIRecord(
    name: "rac.Defaults", summary: "Defaults for the commands below.",
    fields: commandDefinition.fields.filter { field in
      [
        "concurrency", "cwd", "env", "env_file", "group", "interactive", "jobserver", "os",
        "replay", "retry", "secrets", "shell", "timeout", "tty", "when_busy",
      ].contains(field.name)
    } + [
      .init(
        "resources", needs: [], "table<string, integer|string>?",
        "the resources that executions of this process may use: numbers, such as `gpu = 2`, or sizes, such as `memory = \"12G\"`; `--resource` overrides them"
      )
    ])

  static let panelPlace = APIRecord(
    name: "rac.PanelPlace", summary: "How `raclette panel` shows a command.",
    fields: [
      .init("pin", needs: [], "boolean?", "whether it also appears in the header of each page"),
      .init(
        "refresh", needs: [], "boolean?",
        "whether each page has a refresh control for it, which spins until its execution has ended"),
      .init(
        "input", needs: [], "any",
        "the fixed input of both (default: the input of a call without arguments)"),
    ])

  static let need = APIRecord(
    name: "rac.Need", summary: "A command that another one needs, with its input.",
    fields: [
      .init("[integer]", needs: [], "string", "the name of the command, at 1"),
      .init("[string]", needs: [], "any", "the values of its parameters, by name"),
    ])

  static let needs = APIRecord(
    name: "rac.Needs", summary: "The commands that another one needs.",
    fields: [
      .init("[integer]", needs: [], "string|rac.Need", "a command"),
      .init(
        "in_order", needs: [], "boolean?",
        "whether they are executed one after the other until one fails (default: false, as many at a time as possible)"
      ),
    ])

  static let commandStep = APIRecord(
    name: "rac.CommandStep",
    summary: "A step that executes a command after its needs, and sends the command's values.",
    fields: [
      .init("command", needs: [], "string", "the name of the command"),
      .init("[string]", needs: [], "any", "the values of its parameters, by name"),
    ])

  static let executeOptions = APIRecord(
    name: "rac.ExecuteOptions", summary: "How to execute a command.",
    fields: [
      .init(
        "needs", needs: [], "boolean?", "whether to execute its needs first (default: true)")
    ])
}
