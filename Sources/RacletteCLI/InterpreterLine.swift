import LuaRuntime
import Platform
import RunnerCore

/// The arguments of a program that the first line of a script starts.
enum InterpreterLine {
  /// Returns the arguments with the options of a `#!` line apart. Linux passes all that stands behind
  /// the program's name there as one argument, followed by the path of the script.
  static func separated(_ arguments: [String]) -> [String] {
    guard arguments.count > 1, arguments[0].utf8.contains(UInt8(ascii: " ")),
      beginsWithInterpreter(arguments[1])
    else { return arguments }
    return arguments[0].split(separator: " ").map(String.init) + arguments.dropFirst()
  }

  private static func beginsWithInterpreter(_ path: String) -> Bool {
    guard let descriptor = try? SourceFile.open(path, .regularFile) else { return false }
    defer { close(descriptor) }
    var mark: [UInt8] = [0, 0]
    return read(descriptor, &mark, 2) == 2 && mark.elementsEqual("#!".utf8)
  }
}
