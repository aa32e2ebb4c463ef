import Platform
import Scripting

/// An option of the runner.
package struct Option: Sendable {
  package enum Name: String, Sendable, CaseIterable {
    case file, global, adopt, directory, code, list, color, quiet, verbose, json, help, version,
      jobs,
      keepGoing
    case dryRun, timeout, conditionTimeout, noDeps, output, watch, memoryLimit, timeLimit, sandbox
    case trust, interactive, yes
    case failFast, retries, enabledTimeout, progress, journal, resume, leftover, summary, junit
    case envFile, force, all, choose, command, batches, failed, limit, timed, svg, trace
    case listen, open, readOnly, tokenFile, allowHost, keep
    case submit, bundle, olderThan, keepBatches, tags, drain, once, onlyBatch, queueKey, otlp,
      traceParent, agent, agentPage
    case detach, follow, lines
    case resource, forceOnly, cache, ui, write, absent
  }

  package let name: Name
  package let long: String
  package var short: Character?
  /// The placeholder of the value in the help; nil for an option without a value.
  package var value: String?
  /// The accepted form of the value.
  package var form = ValueForm.any
  package let help: String

  package init(
    name: Name, long: String, short: Character? = nil, value: String? = nil,
    form: ValueForm = ValueForm.any, help: String
  ) {
    self.name = name
    self.long = long
    self.short = short
    self.value = value
    self.form = form
    self.help = help
  }

  /// `-f, --file FILE`, as the help shows it.
  package var signature: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--\(long)"
    guard let value else { return names }
    return form == .paths ? "\(names)[=\(value)]" : "\(names) \(value)"
  }
}

/// The parsed arguments: options with their values, and words.
package struct CommandLine {
  // A list is short, and faster than a dictionary, whose first use in a program is expensive.
  package private(set) var options: [(name: Option.Name, value: String)] = []
  package private(set) var words: [String] = []
  /// The options that an earlier call had, as words.
  package private(set) var inherited: [String] = []

  /// The last value given; empty for an option without one.
  package subscript(name: Option.Name) -> String? { options.last { $0.name == name }?.value }

  /// All values given.
  package func all(_ name: Option.Name) -> [String] {
    options.filter { $0.name == name }.map(\.value)
  }

  /// The line with an option of an earlier call that it goes on with.
  package func inheriting(_ option: Option, _ value: String) -> CommandLine {
    var line = self
    line.options.append((option.name, value))
    line.inherited.append("--\(option.long)" + (option.value == nil ? "" : "=\(value)"))
    return line
  }

  /// The line with the full paths of options, for another folder.
  package func withFullPaths(_ names: Set<Option.Name>) -> CommandLine {
    var line = self
    let folder = currentFolder() ?? "."
    line.options = options.map { name, value in
      (name, names.contains(name) && !value.hasPrefix("/") ? "\(folder)/\(value)" : value)
    }
    return line
  }

  package func has(_ name: Option.Name) -> Bool { options.contains { $0.name == name } }

  /// Parses arguments up to the first word, or to the end.
  ///
  /// - Parameters:
  ///   - known: the accepted options, listed once an argument is an option.
  ///   - stopsAtWord: true if everything from the first word on belongs to a script or a command.
  package init(
    _ arguments: [String], known: @autoclosure () -> [Option], stopsAtWord: Bool
  ) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      guard argument.utf8.first == UInt8(ascii: "-"), argument != "-" else {
        words.append(argument)
        if stopsAtWord {
          words += rest
          return
        }
        continue
      }
      if argument.utf8.starts(with: "--".utf8) {
        try takeLong(Substring(argument.utf8.dropFirst(2)), &rest, known())
      } else {
        try takeShort(Substring(argument.utf8.dropFirst()), &rest, known())
      }
    }
  }

  private mutating func takeLong(
    _ text: Substring, _ rest: inout ArraySlice<String>, _ known: [Option]
  ) throws(UsageError) {
    let parts = text.cut(atFirst: "=")
    let name = String(parts?.before ?? text)
    guard let option = known.first(where: { $0.long == name }) else {
      throw .unknownOption(
        "--\(name)", nearest: nearestName(to: name, among: known.map(\.long)).map { "--\($0)" })
    }
    let attached = parts.map { String($0.after) }
    try take(option, as: "--\(name)", attached: attached, &rest)
  }

  private mutating func takeShort(
    _ text: Substring, _ rest: inout ArraySlice<String>, _ known: [Option]
  ) throws(UsageError) {
    var letters = text
    while let letter = letters.unicodeScalars.popFirst().map({ Character($0) }) {
      guard let option = known.first(where: { $0.short == letter }) else {
        throw .unknownOption("-\(letter)", nearest: nil)
      }
      let isAttached = letters.utf8.first == UInt8(ascii: "=")
      guard option.value != nil, option.form != .paths || isAttached else {
        options.append((option.name, ""))
        continue
      }
      let attached = option.form == .paths ? letters.dropFirst() : letters
      try take(
        option, as: "-\(letter)",
        attached: letters.isEmpty ? nil : String(attached), &rest)
      return
    }
  }

  private mutating func take(
    _ option: Option, as typed: String, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    guard option.value != nil else {
      if let attached { throw .unexpectedValue(typed, attached) }
      options.append((option.name, ""))
      return
    }
    if option.form == .paths {
      // A word behind it is the command; without paths, the commands name them.
      options.append((option.name, attached ?? ""))
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .missingValue(typed, option.value ?? "")
    }
    guard option.form.accepts(value) else {
      throw .invalidValue(typed, value, form: option.form)
    }
    options.append((option.name, value))
  }
}

extension CommandLine {
  /// Merges this line's options over those before the subcommand.
  package func under(_ outer: CommandLine) -> CommandLine {
    var merged = self
    merged.options = outer.options.filter { !has($0.name) } + options
    return merged
  }

  /// The line without an option.
  package func without(_ option: Option.Name) -> CommandLine {
    var line = self
    line.options.removeAll { $0.name == option }
    return line
  }

  /// The line with an option without a value.
  package func with(_ option: Option.Name) -> CommandLine {
    var line = self
    line.options.append((option, ""))
    return line
  }

  /// The line with an option and its value.
  package func with(_ option: Option.Name, _ value: String) -> CommandLine {
    var line = self
    line.options.append((option, value))
    return line
  }

  /// Changes to the directory that `-C` names, and reads the variables of `--env-file` from there.
  package func enterDirectory() throws(UsageError) {
    if let directory = self[.directory] { try CommandFile.enter(directory) }
    guard has(.envFile) else { return }
    do { try EnvironmentFile.load(all(.envFile), called: "--env-file") } catch {
      throw .input(error.message)
    }
  }
}
