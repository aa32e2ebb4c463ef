import LuaRuntime

/// The tables that scripts pass and receive.
extension Library {
  static let records: [APIRecord] = [
    observer, list, tuple, event, error, execOptions, shellOptions, watchOptions, fileChange,
    fileStatus, httpOptions,
    commandDefinition, defaults, parameter, needs, need, commandStep, executeOptions, retry,
    environmentFile,
    includeOptions, adoptOptions, panelPlace, ready, restart, stats,
  ]

  static let observer = APIRecord(
    name: "rac.Observer<T>", summary: "The functions of a subscription, each optional.",
    fields: [
      .init("next", needs: [], "(fun(value: T))?", "called with each value"),
      .init("error", needs: [], "(fun(error: any))?", "called with the error that ends the signal"),
      .init("completed", needs: [], "fun()?", "called at completion"),
    ])

  static let list = APIRecord(
    name: "rac.List<T>", summary: "A list that knows its length, as nil may be among its elements.",
    fields: [
      .init("[integer]", "T", "the elements from 1 to n"),
      .init("n", "integer", "how many there are"),
    ])

  static let tuple = APIRecord(
    name: "rac.Tuple",
    summary: "Some values as one, as combining operators send them; compared by value.",
    fields: [
      .init("[integer]", "any", "the elements from 1 to n"),
      .init("n", "integer", "how many there are"),
      .init("unpack", "fun(self: rac.Tuple): ...", "returns all elements"),
    ])

  static let event = APIRecord(
    name: "rac.Event<T>", summary: "An event as a value, as `materialize` sends it.",
    fields: [
      .init("kind", "\"next\"|\"error\"|\"completed\"", "which event"),
      .init("value", "T?", "the value of a `next`"),
      .init("error", "any", "the error of an `error`"),
    ])

  static let error = APIRecord(
    name: "rac.Error",
    summary: "An error of the library; `tostring` gives its message.",
    fields: [
      .init(
        "kind",
        "\"lua\"|\"exit\"|\"spawn\"|\"not_enabled\"|\"timeout\"|\"cancelled\"|\"dependency\"|\"input\"|\"limit\"|\"user\"",
        "what sort of error it is"),
      .init("message", "string", "one readable line"),
      .init("code", "integer?", "the exit status of a process"),
      .init("signal", "string?", "the name of the signal that ended a process"),
      .init("stderr", "string?", "the last lines of a process's standard error"),
      .init("captured", "boolean?", "whether that was captured, so that nobody has seen it"),
      .init("argv", "string[]?", "a process's program and arguments"),
      .init(
        "command", "(string|rac.Command)?", "the name of the command, or an anonymous one itself"),
      .init("execution", "integer?", "the id of the execution"),
      .init("input", "any", "what the command was executed with"),
      .init("traceback", "string?", "the script's frames at the point of the error"),
    ])

  private static let processFields: [APIRecord.Field] = [
    .init("cwd", needs: .files, "string?", "the folder it runs in"),
    .init(
      "env", needs: [], "table<string, string|number|false>?",
      "variables set on top of the script's own; false takes one away"),
    .init(
      "stdin", needs: [], "string|rac.Signal<string>?",
      "its standard input: a text, or a signal of lines; without it, the runner's for the command that was asked for, else none"
    ),
    .init(
      "stderr", needs: [], "\"inherit\"|\"merge\"|\"capture\"?",
      "where its standard error goes: to ours (the default), into the output, or only into an error"
    ),
    .init(
      "output", needs: [], "\"lines\"|\"bytes\"?",
      "whether it sends lines (the default) or chunks as they come"
    ),
    .init(
      "timeout", needs: [], "(number|string)?",
      "seconds, or a text such as \"30s\", after which it fails with an error of kind `timeout`"),
    .init(
      "grace", needs: [], "(number|string)?", "seconds between TERM and KILL when it is to end; 5"),
    .init("success_codes", needs: [], "integer[]?", "the exit statuses that are no errors; {0}"),
    .init(
      "detach", needs: [], "boolean?",
      "starts a program that outlives the runner, in a session of its own and without standard streams; the signal sends its process id"
    ),
  ]

  static let execOptions = APIRecord(
    name: "rac.ExecOptions", summary: "A program, its arguments, and how to run it.",
    parent: shellOptions.name,
    fields: [.init("[integer]", needs: [], "(string|number)?", "the program and its arguments")])

  static let shellOptions = APIRecord(
    name: "rac.ShellOptions", summary: "How to run a process.", fields: processFields)

  static let watchOptions = APIRecord(
    name: "rac.WatchOptions", summary: "How to watch files.",
    fields: [
      .init(
        "recursive", needs: [], "boolean?", "whether folders inside folders are watched too; true"),
      .init(
        "debounce", needs: [], "number?",
        "seconds within which changes of one file count as one; 0.05"),
    ])

  static let fileChange = APIRecord(
    name: "rac.FileChange", summary: "What has happened to a file.",
    fields: [
      .init("path", "string", "the file"),
      .init("kind", "\"created\"|\"changed\"|\"removed\"", "what has happened"),
    ])

  static let fileStatus = APIRecord(
    name: "rac.FileStatus", summary: "What the system knows of a file.",
    fields: [
      .init(
        "kind", "\"file\"|\"folder\"|\"link\"|\"other\"",
        "what it is; `link` only for one that leads nowhere"),
      .init("size", "integer", "bytes"),
      .init("modified", "number", "when its content last changed, in seconds since 1970"),
      .init("executable", "boolean", "whether its owner may execute it"),
      .init("target", "string?", "what it says if it is a symbolic link"),
    ])

  static let httpOptions = APIRecord(
    name: "rac.HTTPOptions", summary: "What answer of a web server is a good one.",
    fields: [
      .init(
        "status", needs: [], "(integer|integer[])?",
        "the status, or several; any from 200 to 399 without")
    ])

  static let commandDefinition = APIRecord(
    name: "rac.CommandDefinition", summary: "What `rac.command` makes a command of.",
    fields: [
      .init("name", needs: [], "string?", "what it is called by; anonymous without"),
      .init("summary", needs: [], "string?", "what it does, in a line"),
      .init("description", needs: [], "string?", "what it does, at length"),
      .init("group", needs: [], "string?", "the heading it is listed under"),
      .init("aliases", needs: [], "string[]?", "other names"),
      .init(
        "private", needs: [], "boolean?",
        "whether it is left out of lists; true if the name begins with `_`"),
      .init(
        "params", needs: [], "rac.Parameter[]|\"any\"?",
        "the parameters it takes, or `\"any\"` for what comes, as strings; without, no arguments"),
      .init(
        "needs", needs: [],
        "(string|rac.Needs|(fun(input: any): string|rac.Needs|nil))?",
        "what is executed before it, each with equal input once a run: a name, a list, or a function of the input that returns one of these"
      ),
      .init(
        "enabled", needs: [], "rac.Signal<boolean>|(fun(): boolean, string?)?",
        "a live condition, or a predicate that is asked at each attempt and may wait"),
      .init(
        "concurrency", needs: [], "integer|\"unlimited\"?", "how many executions run at a time; 1"),
      .init(
        "when_busy", needs: [], "\"reject\"|\"queue\"|\"restart\"|\"join\"?",
        "what becomes of an attempt beyond that: fails (the default), waits, takes the place of the one that runs, or becomes it"
      ),
      .init(
        "across", needs: [], "\"machine\"|\"cluster\"?",
        "what `concurrency` counts: executions of all processes of the user on this machine, or entries over all workers of a journal on a server; those of one process without"
      ),
      .init(
        "uses", needs: [], "table<string, integer|string>?",
        "the amounts of resources that an execution uses, and waits for: numbers, such as `gpu = 1`, or sizes, such as `memory = \"6G\"`"
      ),
      .init(
        "scope", needs: [], "\"cluster\"?",
        "whether it is executed once for all workers of a batch instead of once per worker, when another command needs it"
      ),
      .init(
        "timeout", needs: [], "(number|string)?",
        "seconds after which an execution fails, or a text such as \"30s\""),
      .init("retry", needs: [], "rac.Retry?", "whether it is tried again after an error"),
      .init(
        "replay", needs: [], "integer?",
        "how many of the latest values late subscribers get; 100000. A value counts as one for each 256 bytes that it has"
      ),
      .init("cwd", needs: .files, "string?", "the folder it works in, from that of the file"),
      .init(
        "env", needs: [], "table<string, string|number|false>?",
        "variables of its processes, on top of the script's own; false takes one away"),
      .init(
        "env_file", needs: .files, "string|(string|rac.EnvFile)[]?",
        "files of lines `NAME=value`: variables that the environment does not have yet"),
      .init(
        "shell", needs: [], "(string|number)[]?",
        "the program and its options that execute its lines and those of `rac.sh` in its functions; {\"/bin/sh\", \"-ec\"}"
      ),
      .init(
        "secrets", needs: [], "string[]?", "variables and parameters whose values are not shown"),
      .init("interactive", needs: [], "boolean?", "whether its processes own the terminal"),
      .init(
        "jobserver", needs: [], "boolean?",
        "whether its processes count against `--jobs` of all that is started (true)"),
      .init(
        "watch", needs: .files, "string|string[]?",
        "the files that `--watch` watches: patterns, from the folder of the file; `!` excludes"),
      .init(
        "sources", needs: .files, "string|string[]|(fun(input: any): string|string[])?",
        "patterns of the files that it reads: it is left out while their content and its outputs are unchanged"
      ),
      .init(
        "outputs", needs: .files, "string|string[]|(fun(input: any): string|string[])?",
        "patterns of the files that it makes"),
      .init(
        "depfile", needs: .files, "string|string[]|(fun(input: any): string|string[])?",
        "files in which a compiler writes what it has read, in the syntax of make; it counts like sources"
      ),
      .init(
        "cache", needs: .files, "boolean?",
        "whether its results are stored in the user's cache, and restored in place of an equal execution; needs `outputs`"
      ),
      .init(
        "pass_env", needs: .files, "string[]?",
        "with `cache`: the variables that its processes get besides a few, and that count"),
      .init(
        "fingerprint", needs: .files, "(async fun(input: any): any)?",
        "anything else that counts, such as the version of a compiler"),
      .init(
        "run", needs: [],
        "(async fun(input: any, emit: fun(value: any)): any)|string|(string|number)[]|nil",
        "the work: a function, called as a coroutine, whose returned signal is forwarded and whose other values are sent; or a line for the shell; or a program and its arguments; a command that has `needs` may go without"
      ),
    ] + commandForms + serviceFields)

  static let parameter = APIRecord(
    name: "rac.Parameter", summary: "A parameter of a command.",
    fields: [
      .init("name", needs: [], "string", "as in `--name value`"),
      .init("type", needs: [], "\"string\"|\"integer\"|\"number\"|\"boolean\"?", "string without"),
      .init("required", needs: [], "boolean?", "whether a call must give it"),
      .init("default", needs: [], "any", "the value when a call does not give it"),
      .init(
        "choices", needs: [], "(string|number)[]?", "the values allowed; without, all of the type"),
      .init("help", needs: [], "string?", "what it means"),
      .init(
        "rest", needs: [], "boolean?",
        "whether it takes all words that remain, options included, as a list; only the last may"),
    ])

  static let environmentFile = APIRecord(
    name: "rac.EnvFile", summary: "A file of variables.",
    fields: [
      .init("[integer]", needs: [], "string", "the path"),
      .init("optional", needs: [], "boolean?", "whether it may be missing"),
    ])

  static let includeOptions = APIRecord(
    name: "rac.IncludeOptions", summary: "How the commands of another file are included.",
    fields: [
      .init(
        "cwd", needs: .files, "string?",
        "the folder that they work in and that the paths of the file are relative to, from that of the file that includes it; the file's own without"
      ),
      .init("optional", needs: [], "boolean?", "whether the file may be missing"),
    ])

  static let retry = APIRecord(
    name: "rac.Retry", summary: "How an execution is tried again after an error.",
    fields: [
      .init("times", needs: [], "integer", "how often at most"),
      .init("delay", needs: [], "(number|string)?", "seconds before the first time; 0"),
      .init("backoff", needs: [], "number?", "by what the delay is multiplied each time; 1"),
    ])

  static let stats = APIRecord(
    name: "rac.Stats", summary: "What is alive now.",
    fields: [
      .init("subscriptions", "integer", "subscriptions that the script has made"),
      .init("executions", "integer", "executions that have not ended"),
      .init("coroutines", "integer", "coroutines of the library that have not ended"),
      .init("commands", "integer", "named commands"),
      .init("processes", "integer", "child processes"),
      .init("references", "integer", "Lua values that the host keeps"),
      .init("memory", "integer", "bytes that Lua holds"),
    ])

  /// The states of an execution.
  static let states = ["queued", "running", "completed", "failed", "cancelled"]
}
