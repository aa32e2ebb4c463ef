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
    name: "rac.List<T>",
    summary: "A list that stores its length, because its elements may include nil.",
    fields: [
      .init("[integer]", "T", "the elements from 1 to n"),
      .init("n", "integer", "the number of elements"),
    ])

  static let tuple = APIRecord(
    name: "rac.Tuple",
    summary: "Several values as one, as combining operators send them; compared by value.",
    fields: [
      .init("[integer]", "any", "the elements from 1 to n"),
      .init("n", "integer", "the number of elements"),
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
        "the kind of error"),
      .init("message", "string", "one readable line"),
      .init("code", "integer?", "the exit status of a process"),
      .init("signal", "string?", "the name of the signal that ended a process"),
      .init("stderr", "string?", "the last lines of a process's standard error"),
      .init("captured", "boolean?", "whether `stderr` was captured and therefore not shown"),
      .init("argv", "string[]?", "a process's program and arguments"),
      .init(
        "command", "(string|rac.Command)?",
        "the name of the command, or the command itself if it is anonymous"),
      .init("execution", "integer?", "the id of the execution"),
      .init("input", "any", "the command's input"),
      .init("traceback", "string?", "the script's stack frames at the error"),
    ])

  private static let processFields: [APIRecord.Field] = [
    .init("cwd", needs: .files, "string?", "the folder in which it runs"),
    .init(
      "env", needs: [], "table<string, string|number|false>?",
      "variables in addition to the script's own; false removes one"),
    .init(
      "stdin", needs: [], "string|rac.Signal<string>?",
      "its standard input: a text, or a signal of lines (default: the runner's if a single command is executed, otherwise none)"
    ),
    .init(
      "stderr", needs: [], "\"inherit\"|\"merge\"|\"capture\"?",
      "the destination of its standard error: the runner's standard error (the default), the output, or only the error"
    ),
    .init(
      "output", needs: [], "\"lines\"|\"bytes\"?",
      "whether it sends lines (the default) or chunks as they arrive"
    ),
    .init(
      "timeout", needs: [], "(number|string)?",
      "seconds, or a text such as \"30s\", after which it fails with an error of kind `timeout`"),
    .init(
      "grace", needs: [], "(number|string)?",
      "seconds between SIGTERM and SIGKILL when it is ended (default: 5)"),
    .init(
      "success_codes", needs: [], "integer[]?",
      "the exit statuses that are not errors (default: {0})"),
    .init(
      "detach", needs: [], "boolean?",
      "starts a program that outlives the runner, in its own session and without standard streams; the signal sends its process id"
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
        "recursive", needs: [], "boolean?", "whether to watch subfolders too (default: true)"),
      .init(
        "debounce", needs: [], "number?",
        "seconds within which several changes of one file count as one (default: 0.05)"),
    ])

  static let fileChange = APIRecord(
    name: "rac.FileChange", summary: "A change of a file.",
    fields: [
      .init("path", "string", "the file"),
      .init("kind", "\"created\"|\"changed\"|\"removed\"", "the kind of change"),
    ])

  static let fileStatus = APIRecord(
    name: "rac.FileStatus", summary: "The status of a file.",
    fields: [
      .init(
        "kind", "\"file\"|\"folder\"|\"link\"|\"other\"",
        "its kind; `link` only for a dangling symbolic link"),
      .init("size", "integer", "bytes"),
      .init("modified", "number", "when its content last changed, in seconds since 1970"),
      .init("executable", "boolean", "whether its owner may execute it"),
      .init("target", "string?", "the target if it is a symbolic link"),
    ])

  static let httpOptions = APIRecord(
    name: "rac.HTTPOptions", summary: "Which response of a web server counts as success.",
    fields: [
      .init(
        "status", needs: [], "(integer|integer[])?",
        "the expected status, or several (default: 200 to 399)")
    ])

  static let commandDefinition = APIRecord(
    name: "rac.CommandDefinition", summary: "The table that defines a command.",
    fields: [
      .init("name", needs: [], "string?", "its name; without one, it is anonymous"),
      .init("summary", needs: [], "string?", "a one-line description"),
      .init("description", needs: [], "string?", "a longer description"),
      .init("group", needs: [], "string?", "the heading under which lists show it"),
      .init("aliases", needs: [], "string[]?", "other names"),
      .init(
        "private", needs: [], "boolean?",
        "whether lists omit it; true if the name begins with `_`"),
      .init(
        "params", needs: [], "rac.Parameter[]|\"any\"?",
        "its parameters, or `\"any\"` to accept any arguments, as strings; without it, the command takes no arguments"
      ),
      .init(
        "needs", needs: [],
        "(string|rac.Needs|(fun(input: any): string|rac.Needs|nil))?",
        "the commands to execute before it, each only once per run for equal input: a name, a list, or a function of the input that returns one of these"
      ),
      .init(
        "enabled", needs: [], "rac.Signal<boolean>|(fun(): boolean, string?)?",
        "a live condition, or a function that is called at each attempt and may wait"),
      .init(
        "concurrency", needs: [], "integer|\"unlimited\"?",
        "how many executions may run at a time (default: 1)"),
      .init(
        "when_busy", needs: [], "\"reject\"|\"queue\"|\"restart\"|\"join\"?",
        "what happens to an attempt beyond that limit: it fails (the default), waits, replaces the running execution, or joins it"
      ),
      .init(
        "across", needs: [], "\"machine\"|\"cluster\"?",
        "the scope of `concurrency`: executions of all your processes on this machine, or entries on all workers of a journal on a server (default: executions of one process)"
      ),
      .init(
        "uses", needs: [], "table<string, integer|string>?",
        "the amounts of resources that an execution waits for and uses: numbers, such as `gpu = 1`, or sizes, such as `memory = \"6G\"`"
      ),
      .init(
        "scope", needs: [], "\"cluster\"?",
        "as a need, it is executed once for all workers of a batch instead of once per worker"
      ),
      .init(
        "timeout", needs: [], "(number|string)?",
        "seconds after which an execution fails, or a text such as \"30s\""),
      .init("retry", needs: [], "rac.Retry?", "how often to try again after an error"),
      .init(
        "replay", needs: [], "integer?",
        "how many of the latest values late subscribers get (default: 100000). A value counts once per 256 bytes"
      ),
      .init(
        "cwd", needs: .files, "string?", "the folder in which it runs, relative to that of the file"
      ),
      .init(
        "env", needs: [], "table<string, string|number|false>?",
        "variables of its processes, in addition to the script's own; false removes one"),
      .init(
        "env_file", needs: .files, "string|(string|rac.EnvFile)[]?",
        "files with lines `NAME=value`, which set variables that the environment does not have yet"),
      .init(
        "shell", needs: [], "(string|number)[]?",
        "the program and its options that execute its lines and those of `rac.sh` in its functions (default: {\"/bin/sh\", \"-ec\"})"
      ),
      .init(
        "secrets", needs: [], "string[]?", "variables and parameters whose values are masked"),
      .init("interactive", needs: [], "boolean?", "whether its processes own the terminal"),
      .init(
        "jobserver", needs: [], "boolean|\"fifo\"?",
        "whether its processes count against the shared budget `--jobs` (default: true); `\"fifo\"` announces the job server as a named pipe, which releases of ninja need"
      ),
      .init(
        "watch", needs: .files, "string|string[]?",
        "patterns of the files that `--watch` watches, relative to the folder of the file; `!` excludes"
      ),
      .init(
        "sources", needs: .files, "string|string[]|(fun(input: any): string|string[])?",
        "patterns of the files that it reads: it is skipped while their content and its outputs are unchanged"
      ),
      .init(
        "outputs", needs: .files, "string|string[]|(fun(input: any): string|string[])?",
        "patterns of the files that it makes"),
      .init(
        "depfile", needs: .files, "string|string[]|(fun(input: any): string|string[])?",
        "files in which a compiler lists the files that it has read, in make's syntax; these count as sources"
      ),
      .init(
        "cache", needs: .files, "boolean?",
        "whether its results are stored in the user's cache, and restored in place of an equal execution; needs `outputs`"
      ),
      .init(
        "pass_env", needs: .files, "string[]?",
        "with `cache`: additional variables that its processes get, and that are part of the result's key"
      ),
      .init(
        "fingerprint", needs: .files, "(async fun(input: any): any)?",
        "any other value that decides whether it is up to date, such as the version of a compiler"),
      .init(
        "run", needs: [],
        "(async fun(input: any, emit: fun(value: any)): any)|string|(string|number)[]|nil",
        "the work: a function, called as a coroutine, whose returned signal is forwarded and whose other results are sent as values; a line for the shell; or a program with its arguments. Optional for a command with `needs`"
      ),
    ] + commandForms + serviceFields)

  static let parameter = APIRecord(
    name: "rac.Parameter", summary: "A parameter of a command.",
    fields: [
      .init("name", needs: [], "string", "as in `--name value`"),
      .init("type", needs: [], "\"string\"|\"integer\"|\"number\"|\"boolean\"?", "string without"),
      .init("required", needs: [], "boolean?", "whether a call must provide it"),
      .init("default", needs: [], "any", "the value if a call does not provide it"),
      .init(
        "choices", needs: [], "(string|number)[]?",
        "the allowed values (default: all values of the type)"),
      .init("help", needs: [], "string?", "what it means"),
      .init(
        "rest", needs: [], "boolean?",
        "whether it takes all remaining words, options included, as a list; allowed only for the last parameter"
      ),
    ])

  static let environmentFile = APIRecord(
    name: "rac.EnvFile", summary: "A file of variables.",
    fields: [
      .init("[integer]", needs: [], "string", "the path"),
      .init("optional", needs: [], "boolean?", "whether it may be missing"),
    ])

  static let includeOptions = APIRecord(
    name: "rac.IncludeOptions", summary: "How to include the commands of another file.",
    fields: [
      .init(
        "cwd", needs: .files, "string?",
        "the folder in which the commands run and to which the paths of the file are relative, itself relative to the folder of the including file (default: the included file's own folder)"
      ),
      .init("optional", needs: [], "boolean?", "whether the file may be missing"),
    ])

  static let retry = APIRecord(
    name: "rac.Retry", summary: "How to try an execution again after an error.",
    fields: [
      .init("times", needs: [], "integer", "the maximum number of retries"),
      .init("delay", needs: [], "(number|string)?", "seconds before the first retry (default: 0)"),
      .init(
        "backoff", needs: [], "number?",
        "the factor by which the delay grows each time (default: 1)"),
    ])

  static let stats = APIRecord(
    name: "rac.Stats", summary: "The numbers of live objects.",
    fields: [
      .init("subscriptions", "integer", "subscriptions that the script has made"),
      .init("executions", "integer", "executions that have not ended"),
      .init("coroutines", "integer", "coroutines of the library that have not ended"),
      .init("commands", "integer", "named commands"),
      .init("processes", "integer", "child processes"),
      .init("references", "integer", "Lua values that the host keeps"),
      .init("memory", "integer", "bytes that Lua uses"),
    ])

  /// The states of an execution.
  static let states = ["queued", "running", "completed", "failed", "cancelled"]
}
