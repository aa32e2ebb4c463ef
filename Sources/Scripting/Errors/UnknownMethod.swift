/// What Lua says of a call of a method that a value lacks does not tell of whose value, so the hint
/// looks among the methods of all objects.
enum UnknownMethod {
  /// The end of Lua's message about a method that no object of the library has, if one has a similar
  /// name.
  static func hint(in message: String) -> String {
    guard let match = message.firstMatch(of: #/attempt to call a nil value \(method '(\w+)'\)$/#)
    else { return "" }
    let name = String(match.1)
    let methods = Set(Library.objects.flatMap(\.methods).map(\.name))
    return methods.contains(name) ? "" : didYouMean(name, among: methods.sorted())
  }
}
