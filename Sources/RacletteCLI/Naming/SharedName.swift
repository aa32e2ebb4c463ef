import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The name of a subcommand without a colon, which a command of the command file may have, too: the
/// command is meant then.
struct SharedName {
  let subcommand: Subcommand
  /// The options before the name, and the words from the name on.
  let outer: CommandLine

  /// The options before and behind the name, as the subcommand reads them; nil if it has no such
  /// options.
  private let own: CommandLine?
  /// The options and words behind the name, as the subcommand reads them.
  private let inner: CommandLine?
  private let work: Result<Subcommand.Work, any Error>

  init(_ subcommand: Subcommand, _ outer: CommandLine) {
    self.subcommand = subcommand
    self.outer = outer
    let inner = Result { try subcommand.line(behindNameIn: outer) }
    self.inner = try? inner.get()
    own = self.inner?.under(outer)
    work = Result { try subcommand.prepare(try inner.get(), outer) }
  }

  /// Executes the command of this name, or else the subcommand.
  func execute() throws -> Int32 {
    // A command would be looked for without the options behind the name, which are its own words.
    guard outer.namesCommandFile || CommandFile.isAbove(outer[.directory]) else {
      return try work.get().execute()
    }
    let line = own ?? outer
    guard case .success(.session(let commandFile, let body)) = work else {
      return try executeAfterLook(at: line)
    }
    if subcommand.name == Subcommand.run.name { return try executeRun(commandFile, body) }
    if line.quotesInCommandFile(subcommand.name), let status = try executeIfDefined() {
      return status
    }
    let status = try use(commandFile) { session, file in
      if isMeant(in: session.host) { throw OtherMeaning() }
      return try body(session, file)
    }
    return try status ?? Subcommand.run(outer, form: .short)
  }

  /// Calls `body` with the session of a command file; nil if it throws `OtherMeaning`, and then the
  /// folder and the variables are those of before.
  private func use(
    _ commandFile: CommandFileSession, _ body: (Session, String) throws -> Int32
  ) throws -> Int32? {
    let surroundings = Surroundings()
    do { return try commandFile.use(body) } catch is OtherMeaning {
      surroundings.restore()
      return nil
    }
  }

  /// Returns true if the commands of a file have the name, and the words do not make it the
  /// subcommand's: `run` with the name of a command.
  private func isMeant(in host: ScriptHost) -> Bool {
    guard host.command(named: subcommand.name) != nil else { return false }
    guard subcommand.name == Subcommand.run.name, let inner else { return true }
    return !inner.has(.choose) && inner.words.first.flatMap(host.command) == nil
  }

  /// Executes `run`, whose session is that of its other meaning, too.
  private func executeRun(
    _ commandFile: CommandFileSession, _ body: (Session, String) throws -> Int32
  ) throws -> Int32 {
    let isSession = inner?.options.isEmpty == true && !outer.has(.json)
    let short = isSession ? Result { try Subcommand.prepareRun(outer, form: .short) } : nil
    let status = try use(commandFile) { session, file in
      guard isMeant(in: session.host) else { return try body(session, file) }
      guard case .session(_, let body) = try short?.get() else { throw OtherMeaning() }
      return try body(session, file)
    }
    return try status ?? Subcommand.run(outer, form: .short)
  }

  /// Executes the command if the file defines it; nil if it does not.
  private func executeIfDefined() throws -> Int32? {
    guard
      case .session(let commandFile, let body) = try Subcommand.prepareRun(outer, form: .short)
    else { return nil }
    return try use(commandFile) { session, file in
      guard isMeant(in: session.host) else { throw OtherMeaning() }
      return try body(session, file)
    }
  }

  /// Executes what is meant by a name whose subcommand does not load the file as `run` does. A look at
  /// the file starts and changes nothing.
  private func executeAfterLook(at line: CommandLine) throws -> Int32 {
    let surroundings = Surroundings()
    let look = try CommandFileSession.look(
      at: line, for: "looking for a command '\(subcommand.name)'"
    ) { isMeant(in: $0) }
    surroundings.restore()
    switch look {
    case .ended(let status): return status
    case .complete(true): return try Subcommand.run(outer, form: .short)
    case .complete(false): break
    case .refused(let isDefined):
      if isDefined || line.quotesInCommandFile(subcommand.name),
        let status = try executeIfDefined()
      {
        return status
      }
    case .failed(let failure, let isDefined):
      // These report why a file does not load.
      let reports = [Subcommand.check.name, Subcommand.doctor.name]
      if !reports.contains(subcommand.name),
        isDefined || line.quotesInCommandFile(subcommand.name)
      {
        throw CommandFileError(
          message: "\(failure.message); '\(subcommand.invocation)' is Raclette's own")
      }
    }
    return try work.get().execute()
  }
}

/// The name means the other one of a command and a subcommand.
private struct OtherMeaning: Error {}

/// The folder and the variables of the program, which a command file changes.
private struct Surroundings {
  private let folder = WorkingFolder()
  private let variables = ProcessEnvironment.variables()

  func restore() {
    folder.enter()
    ProcessEnvironment.restore(variables)
  }
}

/// The current folder, to come back to.
private final class WorkingFolder {
  private let descriptor = open(".", O_RDONLY | O_CLOEXEC)

  func enter() { fchdir(descriptor) }

  deinit { close(descriptor) }
}

extension CommandLine {
  /// True if the text of the command file has a name in quotes, so that it may define it.
  fileprivate func quotesInCommandFile(_ name: String) -> Bool {
    let surroundings = Surroundings()
    defer { surroundings.restore() }
    guard (try? enterDirectory()) != nil, let path = try? commandFile(),
      let text = fileContent(path)
    else { return false }
    return text.withUnsafeBytes { text in
      text.indices.contains { index in
        // Quotes are rarer than letters.
        let quote = text[index]
        guard
          quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") || quote == UInt8(ascii: "[")
        else { return false }
        let rest = text[(index + 1)...]
        let end = rest.dropFirst(name.utf8.count).first
        return rest.starts(with: name.utf8) && (end == quote || end == UInt8(ascii: "]"))
      }
    }
  }
}
