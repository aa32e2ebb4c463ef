import LuaRuntime

extension Duration {
  /// Parses a duration with a unit: `30s`, `500ms`, `2m`, `1h`, `1d`; a number alone is in seconds.
  /// Nil for anything else, and unless positive.
  public init?(text: String) {
    let units: [(suffix: String, milliseconds: Double)] = [
      ("ms", 1), ("s", 1e3), ("m", 60e3), ("min", 60e3), ("h", 3600e3), ("d", 86_400e3), ("", 1e3),
    ]
    let suffix = String(text.drop { $0.isNumber || $0 == "." })
    guard let unit = units.first(where: { $0.suffix == suffix }),
      let number = Double(text.dropLast(suffix.count)), number > 0,
      number * unit.milliseconds < 4e12
    else { return nil }
    self = .milliseconds(max(1, Int64((number * unit.milliseconds).rounded())))
  }
}

extension LuaValue {
  /// The duration that a script gives as a number of seconds, or as a text with a unit.
  var duration: Duration? {
    if case .string(let text) = self { return Duration(text: text.exactText) }
    return numberValue.flatMap(Duration.init(luaSeconds:))
  }
}
