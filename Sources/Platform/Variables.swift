/// The variables and arguments the process was started with; their bytes need not be UTF-8.
public enum ProcessEnvironment {
  /// The value of a variable; nil when it is not set.
  public static func value(of name: String) -> String? {
    name.withCBytes { getenv($0).map { String(exactly: $0) } }
  }

  /// The folder that a variable of the XDG Base Directory Specification names; nil when it is not
  /// set, empty, or a relative path, which that specification says to ignore.
  public static func folder(of name: String) -> String? {
    value(of: name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// Sets a variable to any bytes except zero, or removes it if `value` is nil. The name must not
  /// be empty or contain `=`.
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
    forEachEntry { entry, name in
      variables.append((String(exactly: name), Array(entry[(name.count + 1)...])))
    }
    return variables
  }

  /// The entries `NAME=value` of the variables whose names, as bytes, are to be kept, in the system's
  /// order.
  public static func entries(where isKept: (UnsafeRawBufferPointer) -> Bool) -> [[UInt8]] {
    var entries: [[UInt8]] = []
    forEachEntry { entry, name in
      if isKept(name) { entries.append(Array(entry)) }
    }
    return entries
  }

  private static func forEachEntry(
    _ body: (_ entry: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer) -> Void
  ) {
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let text = next?.pointee {
      let entry = UnsafeRawBufferPointer(start: text, count: strlen(text))
      if let equals = memchr(text, Int32(UInt8(ascii: "=")), entry.count) {
        body(
          entry,
          UnsafeRawBufferPointer(rebasing: entry[..<(equals - UnsafeMutableRawPointer(text))]))
      }
      next = next?.advanced(by: 1)
    }
  }

  /// Sets the variables to those that `variables` has returned before.
  public static func restore(_ earlier: [(name: String, value: [UInt8])]) {
    let present = variables()
    guard !earlier.elementsEqual(present, by: ==) else { return }
    for (name, _) in present { set(name, to: nil) }
    for (name, value) in earlier { set(name, to: value) }
  }

  /// The arguments of the program, starting with its own name.
  public static func arguments() -> [String] {
    (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { String(exactly: $0) }
    }
  }
}
