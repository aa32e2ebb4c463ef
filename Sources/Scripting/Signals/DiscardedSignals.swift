import LuaRuntime
import Platform

extension ScriptHost {
  /// Returns a problem for each statement in a function of the command files and of their modules that
  /// does nothing but make a signal, such as `rac.sh("make test")` without `return`, by reading: nothing is
  /// executed. A signal that is lost in another way fails the command when it is executed.
  public func problemsWithDiscardedSignals() -> [Failure] {
    let modules = moduleFiles.map { (path: $0, name: $0) }
    return (scopes.read.map { (path: $0.path, name: $0.name) } + modules).flatMap { file in
      // A file that cannot be read is a problem of its own.
      DiscardedSignals(fileContent(file.path) ?? []).lines.map { line in
        SourceLocation(text: "\(file.name):\(line)").failure(MadeSignals.problem)
      }
    }
  }
}

/// The statements in functions of a Lua text that make a signal with a function of `rac` and drop it.
struct DiscardedSignals {
  private let tokens: [(text: String, kind: LuaTokens.Token.Kind, start: Int)]
  /// The lines of the statements, from 1.
  private(set) var lines: [Int] = []

  init(_ bytes: [UInt8]) {
    let reader = LuaTokens(bytes)
    tokens = reader.filter { $0.kind != .comment }.map { token in
      (reader.text(token), token.kind, token.range.lowerBound)
    }
    var line = 1
    var position = 0
    // The open blocks: true for that of a function.
    var blocks: [Bool] = []
    for index in tokens.indices where tokens[index].kind == .name {
      switch tokens[index].text {
      case "function": blocks.append(true)
      case "do", "if", "repeat": blocks.append(false)
      case "end", "until": _ = blocks.popLast()
      case "rac"
      where blocks.contains(true) && beginsStatement(at: index) && isDiscarded(at: index):
        line += bytes[position..<tokens[index].start].count { $0 == UInt8(ascii: "\n") }
        position = tokens[index].start
        lines.append(line)
      default: break
      }
    }
  }

  /// The keywords after which an expression follows, or a name that is no variable.
  private static let beforeExpressions: Set = [
    "and", "or", "not", "return", "local", "in", "function", "goto", "until", "if", "while",
    "elseif", "for",
  ]

  /// Returns true if a name cannot belong to what stands before it.
  private func beginsStatement(at index: Int) -> Bool {
    guard index > 0 else { return true }
    let previous = tokens[index - 1]
    return switch previous.kind {
    case .name: !Self.beforeExpressions.contains(previous.text)
    case .number, .string: true
    case .symbol: [")", "}", "]", ";"].contains(previous.text)
    case .comment, .unfinished: false
    }
  }

  /// Returns true if a call of a function of `rac` that makes a signal, and of methods of signals, is all
  /// that the statement at an index consists of.
  private func isDiscarded(at start: Int) -> Bool {
    guard text(start + 1) == ".", Self.functions.contains(text(start + 2)),
      var index = end(ofArgumentsAt: start + 3)
    else { return false }
    while text(index) == ":", text(index + 1) != ":" {
      guard Self.methods.contains(text(index + 1)), let end = end(ofArgumentsAt: index + 2) else {
        return false
      }
      index = end
    }
    return ![".", "[", "(", "{"].contains(text(index))
  }

  /// Returns the index after the arguments of a call: a string, a table or a list in parentheses.
  private func end(ofArgumentsAt start: Int) -> Int? {
    guard start < tokens.count else { return nil }
    if tokens[start].kind == .string { return start + 1 }
    guard ["(", "{"].contains(tokens[start].text) else { return nil }
    var depth = 0
    for index in start..<tokens.count where tokens[index].kind == .symbol {
      switch tokens[index].text {
      case "(", "{", "[": depth += 1
      case ")", "}", "]":
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
    }
    return nil
  }

  private func text(_ index: Int) -> String { index < tokens.count ? tokens[index].text : "" }

  /// The functions whose signals do nothing until they are subscribed.
  private static let functions: Set<String> = Set(
    Library.functions.filter { $0.returnsSignal && $0.name != "start_eagerly" }.map(\.name))

  /// The methods that make such a signal of another.
  private static let methods: Set<String> = Set(
    Library.signalObject.methods.filter {
      $0.returnsSignal && !["replay", "replay_last"].contains($0.name)
    }
    .map(\.name))
}
