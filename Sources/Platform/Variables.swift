/// What the process was started with, whose bytes need not be UTF-8: its variables and arguments.
public enum ProcessEnvironment {
  /// The value of a variable; nil when it is not set.
  public static func value(of name: String) -> String? {
    name.withCBytes { getenv($0).map { String(exactly: $0) } }
  }

  /// Sets a variable, whose name is not empty and holds no `=`, to any bytes but zero; removes it for nil.
  public static func set(_ name: String, to value: [UInt8]?) {
    name.withCBytes { name in
      guard let value else {
        unsetenv(name)
        return
      }
      _ = (value + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          setenv(name, $0.baseAddress.unsafelyUnwrapped, 1)
        }
      }
    }
  }

  /// All variables in the system's order.
  public static func variables() -> [(name: String, value: [UInt8])] {
    var variables: [(String, [UInt8])] = []
    var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let text = entry?.pointee {
      let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
      if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
        let name = String(exactly: UnsafeRawBufferPointer(rebasing: bytes[..<equals]))
        variables.append((name, Array(bytes[(equals + 1)...])))
      }
      entry = entry?.advanced(by: 1)
    }
    return variables
  }

  /// The words that the program was started with, its own name first.
  public static func arguments() -> [String] {
    (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { String(exactly: $0) }
    }
  }
}
