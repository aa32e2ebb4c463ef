import LuaRuntime
import Platform

extension ScriptHost {
  /// Returns a problem for each statement in the command files and their modules that does nothing but
  /// make a signal, such as `rac.sh("make test")` without `return`, by reading: functions are not called.
  /// A signal that is lost in another way fails the command when it is executed; one that the top level
  /// drops is warned of.
  public func problemsWithDiscardedSignals() -> [Failure] {
    luaFiles.flatMap { file in
      // A file that cannot be read is a problem of its own.
      DiscardedSignals(fileContent(file.path) ?? []).statements.map { statement in
        SourceLocation(text: "\(file.name):\(statement.line)").failure(
          MadeSignals.problem(in: statement.isInFunction ? .function : .script))
      }
    }
  }
}

/// The statements of a Lua text that make a signal with a function of `rac` and drop it.
struct DiscardedSignals {
  private let code: LuaCode
  /// The lines of the statements, from 1, each with true if it is in a function.
  private(set) var statements: [(line: Int, isInFunction: Bool)] = []

  init(_ bytes: [UInt8]) {
    code = LuaCode(bytes)
    var found: [(line: Int, isInFunction: Bool)] = []
    code.forEachToken { index, open in
      // Within brackets, a semicolon separates the fields of a table.
      guard code.texts[index] == "rac", open.last != .brackets, beginsStatement(at: index),
        isDiscarded(at: index)
      else { return }
      found.append((code.lines[index], open.contains(.function)))
    }
    statements = found
  }

  /// The keywords after which an expression follows, or a name that is no variable.
  private static let beforeExpressions: Set = [
    "and", "or", "not", "return", "local", "in", "function", "goto", "until", "if", "while",
    "elseif", "for",
  ]

  /// Returns true if a name cannot belong to what stands before it.
  private func beginsStatement(at index: Int) -> Bool {
    guard index > 0 else { return true }
    let previous = code.texts[index - 1]
    return switch code.tokens[index - 1].kind {
    case .name: !Self.beforeExpressions.contains(previous)
    case .number, .string: true
    case .symbol: [")", "}", "]", ";"].contains(previous)
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
    guard start < code.tokens.count else { return nil }
    if code.tokens[start].kind == .string { return start + 1 }
    guard ["(", "{"].contains(code.texts[start]) else { return nil }
    var depth = 0
    for index in start..<code.tokens.count where code.tokens[index].kind == .symbol {
      switch code.texts[index] {
      case "(", "{", "[": depth += 1
      case ")", "}", "]":
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
    }
    return nil
  }

  private func text(_ index: Int) -> String { index < code.texts.count ? code.texts[index] : "" }

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
