/// What Lua says of a call of a method that a value lacks does not tell of whose value, so the hint
/// looks among the methods of all objects.
enum UnknownMethod {
  /// The end of Lua's message about a method that no object of the library has, if one has a similar
  /// name.
  static func hint(in message: String) -> String {
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    guard parts.count > 2, parts.last == ")",
      parts[parts.count - 3].hasSuffix("attempt to call a nil value (method ")
    else { return "" }
    let name = String(parts[parts.count - 2])
    let methods = Set(Library.objects.flatMap(\.methods).map(\.name))
    return methods.contains(name) ? "" : didYouMean(name, among: methods.sorted())
  }
}
