import LuaRuntime
import RunnerCore

/// The purpose of an unfinished string, by the text before it.
enum StringPlace {
  /// The key of an index: `t["`.
  case key(MemberPath)
  /// The name of a module: `require "`.
  case module
  /// The name of a variable of the environment.
  case environment
  /// The name of a program: `rac.exec{"`.
  case program
  /// A line of the shell: `rac.sh("`, `os.execute("`, `io.popen("`.
  case shell
  /// The value of a parameter of a command.
  case argument(command: MemberPath, parameter: String)
  case file

  /// - Parameter tokens: the tokens before the string.
  init(_ bytes: [UInt8], _ tokens: [LuaTokens.Token]) {
    let tokens = tokens.filter { $0.kind != .comment }
    let words = tokens.suffix(4).map { String(decoding: bytes[$0.range], as: UTF8.self) }
    let lead = words.last == "(" ? Array(words.dropLast()) : words
    self = .file
    switch words.last {
    case "[":
      guard let path = MemberPath(whole: bytes, tokens.dropLast()) else { return }
      self = path.steps.map(\.name) == ["rac", "env"] ? .environment : .key(path)
    case "=":
      guard let parameter = tokens.dropLast().last, parameter.kind == .name else { return }
      let before = Array(tokens.dropLast(2))
      guard let table = InputTable(Array(bytes[..<parameter.range.lowerBound]), before) else {
        return
      }
      self = .argument(
        command: table.command, parameter: String(decoding: bytes[parameter.range], as: UTF8.self))
    case "{":
      let function = words.dropLast().last == "(" ? words.dropLast(2).last : words.dropLast().last
      if function == "exec" { self = .program }
      if function == "sh" { self = .shell }
    case "require": self = .module
    case "(" where lead.last == "require": self = .module
    case "(" where lead.suffix(3) == ["os", ".", "getenv"]: self = .environment
    case "(" where Self.takesShell(lead): self = .shell
    default:
      if Self.takesShell(words) { self = .shell }
      if words.suffix(3) == ["os", ".", "getenv"] { self = .environment }
    }
  }

  /// True if a function that ends these words takes a line of the shell.
  private static func takesShell(_ words: [String]) -> Bool {
    [["rac", ".", "sh"], ["os", ".", "execute"], ["io", ".", "popen"]].contains(
      Array(words.suffix(3)))
  }
}
