import LuaRuntime
import RunnerCore
import Scripting

/// A `:` command of the session.
struct MetaCommand: Sendable {
  let name: String
  /// The arguments after the name, as the help shows them.
  let arguments: String
  let summary: String
  let execute: @Sendable (Repl, String) -> Void

  init(
    _ name: String, _ arguments: String, _ summary: String,
    execute: @escaping @Sendable (Repl, String) -> Void
  ) {
    self.name = name
    self.arguments = arguments
    self.summary = summary
    self.execute = execute
  }

  var usage: String { ":\(name)" + (arguments.isEmpty ? "" : " \(arguments)") }

  static let all: [MetaCommand] = [
    MetaCommand("help", "[NAME]", "this list, or what a name means") { $0.help($1) },
    MetaCommand("doc", "NAME", "signature and meaning of a name, as NAME? shows them") {
      $0.document($1)
    },
    MetaCommand("commands", "", "the commands with their state") { repl, _ in repl.listCommands() },
    MetaCommand("run", "COMMAND [ARGS] [&]", "execute a command; with & in the background") {
      $0.runCommand($1)
    },
    MetaCommand("jobs", "", "running executions, and the latest that ended") { repl, _ in
      repl.listJobs()
    },
    MetaCommand("kill", "ID...", "cancel jobs") { $0.kill($1) },
    MetaCommand("wait", "[ID]", "wait for a job, or for all") { $0.waitForJobs($1) },
    MetaCommand("replay", "ID", "show a job's values again from the beginning") { $0.replay($1) },
    MetaCommand("errors", "", "the latest errors") { repl, _ in repl.listErrors() },
    MetaCommand(
      "debug", "[FRAME | EXPR]",
      "the frames of the last error, the variables of one, or values in it"
    ) {
      $0.debug($1)
    },
    MetaCommand("watch", "EXPR", "show what a signal sends in a pane above the prompt") {
      $0.watch($1)
    },
    MetaCommand("unwatch", "[NUMBER]", "stop watching one signal, or all") { $0.unwatch($1) },
    MetaCommand("marbles", "EXPR[, EXPR]...", "draw signals on a time axis") { $0.marbles($1) },
    MetaCommand(
      "time", "EXPR", "evaluate (repeatedly if it is fast) and print how long it takes"
    ) {
      $0.time($1)
    },
    MetaCommand("more", "[EXPR]", "all of the last value, or of another, page by page") {
      $0.showMore($1)
    },
    MetaCommand("pp", "[EXPR]", "the same in place, as pp(EXPR) prints it") { $0.showAll($1) },
    MetaCommand("load", "FILE", "execute a Lua file in this session") { $0.load($1) },
    MetaCommand("reload", "", "start over from the same files; jobs end") { repl, _ in
      repl.reload()
    },
    MetaCommand("sh", "COMMAND", "execute a shell line, as !COMMAND does") {
      $0.executeShell($1)
    },
    MetaCommand("source", "NAME", "the text of a function, as NAME?? shows it") {
      $0.showSource($1)
    },
    MetaCommand("history", "[COUNT | TEXT]", "the entries of this session by their numbers") {
      $0.showHistory($1)
    },
    MetaCommand("save", "FILE", "write the entries of this session to a file") { $0.save($1) },
    MetaCommand("edit", "[NUMBER]", "change an entry, or the latest, in $EDITOR") { $0.edit($1) },
    MetaCommand("vars", "", "the variables of this session") { repl, _ in repl.listVariables() },
    MetaCommand("subscriptions", "", "what is subscribed, and by which line") { repl, _ in
      repl.listSubscriptions()
    },
    MetaCommand("unsubscribe", "NUMBER...", "end subscriptions") { $0.unsubscribe($1) },
    MetaCommand("session", "save | restore NAME", "keep variables for another session") {
      $0.session($1)
    },
    MetaCommand("quit", "", "leave; jobs end") { repl, _ in repl.isLeaving = true },
  ]

  static func named(_ name: String) -> MetaCommand? { all.first { $0.name == name } }

  /// The expression of a `:` command that takes one; nil for other commands.
  static func expression(in text: [UInt8]) -> [UInt8]? {
    let words = text.drop(while: LuaTokens.isSpace).dropFirst()
    let name = words.prefix { !LuaTokens.isSpace($0) }
    guard let command = named(String(decoding: name, as: UTF8.self)),
      command.arguments.contains("EXPR")
    else { return nil }
    var rest = Array(words.dropFirst(name.count).drop(while: LuaTokens.isSpace))
    // A mark that asks for the background is no operator whose operand is to follow.
    while rest.last.map({ LuaTokens.isSpace($0) || $0 == UInt8(ascii: "&") }) == true {
      rest.removeLast()
    }
    return rest.isEmpty ? nil : rest
  }

  /// True if an `&` at the end of the line belongs to the arguments.
  private var takesBackground: Bool { ["run", "sh"].contains(name) }

  /// The reason why a line cannot be executed in the background; nil if it can, or need not.
  func objection(toBackground arguments: String) -> String? {
    guard arguments.hasSuffix("&"), !takesBackground else { return nil }
    return "':\(name)' works in the foreground: leave out the '&' at the end"
  }
}

extension Repl {
  private static let aliases = ["q": "quit", "exit": "quit", "h": "help", "?": "help"]

  /// Executes a line that begins with a colon.
  func execute(meta text: [UInt8]) {
    let line = String(decoding: text, as: UTF8.self)
    let words = line.drop { $0.isWhitespace }.dropFirst()
    let name = String(words.prefix { !$0.isWhitespace })
    guard let command = MetaCommand.named(Self.aliases[name] ?? name) else {
      if isMethodCall(String(words)) { return complain(lostChain(name)) }
      if let command = commandName(name) {
        return complain("there is no ':\(name)'; did you mean ':run \(command)'?")
      }
      let nearest = nearestName(to: name, among: MetaCommand.all.map(\.name))
      return complain(
        "there is no ':\(name)'" + didYouMean(nearest.map { ":\($0)" }, otherwise: "see :help"))
    }
    let arguments = words.dropFirst(name.count).trimmed
    if command.arguments.isEmpty, !arguments.isEmpty {
      return complain("':\(name)' takes no arguments")
    }
    if let first = command.arguments.first, first != "[", arguments.isEmpty {
      return complain("usage: \(command.usage)")
    }
    if let objection = command.objection(toBackground: arguments) { return complain(objection) }
    command.execute(self, arguments)
    workspace.host.interpreter.clearInterrupt()
  }

  /// True for the rest of a line such as `:map(f)`, which goes on with the line above.
  private func isMethodCall(_ text: String) -> Bool {
    let name = String(text.utf8.prefix(while: LuaTokens.isName)) ?? ""
    let rest = text.dropFirst(name.count).drop { $0.isWhitespace }
    return rest.first.map { "({\"'".contains($0) } ?? false
      || Library.members(of: "signal").contains { $0.shortName == name }
  }

  private func lostChain(_ name: String) -> String {
    let method = name.prefix { !"({\"'".contains($0) }
    return
      "an entry cannot begin with the method ':\(method)': the lines of a chain are one entry, "
      + (editor.hasCursor
        ? "in which Alt-Enter breaks a line" : "if the whole chain is in parentheses")
  }
}

extension StringProtocol {
  /// The text without surrounding white space.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
