import LuaRuntime
import Platform

/// A parameter that a text names.
struct ParameterReference {
  enum Form: CaseIterable {
    /// `{{name}}` or `{{.name}}`, with any blanks.
    case braced
    /// `$(name)`, with any blanks.
    case called
    /// `${name}`
    case enclosed
    /// `$name`
    case variable

    fileprivate var brackets: (opening: String, closing: String) {
      switch self {
      case .braced: ("{{", "}}")
      case .called: ("$(", ")")
      case .enclosed: ("${", "}")
      case .variable: ("$", "")
      }
    }

    /// True if it names a variable, which a shell replaces.
    var isVariable: Bool { self == .enclosed || self == .variable }
  }

  let parameter: Parameter
  let form: Form
  let range: Range<Int>
  /// True for `{{.name}}`, which templates of Go have too.
  let isDotted: Bool

  /// How the text names it, without blanks.
  var written: String {
    form.isVariable
      ? "$\(parameter.variable)"
      : form.brackets.opening + (isDotted ? "." : "") + parameter.name + form.brackets.closing
  }
}

extension [Parameter] {
  /// Returns the references to the parameters in a text.
  func references(in text: [UInt8]) -> [ParameterReference] {
    var found: [ParameterReference] = []
    var position = 0
    while position < text.count {
      let reference = ParameterReference.Form.allCases.lazy.compactMap { form in
        self.reference(as: form, at: position, in: text)
      }.first
      if let reference { found.append(reference) }
      position = reference?.range.upperBound ?? position + 1
    }
    return found
  }

  private func reference(
    as form: ParameterReference.Form, at start: Int, in text: [UInt8]
  ) -> ParameterReference? {
    var rest = text[start...]
    guard rest.remove(prefix: form.brackets.opening) else { return nil }
    if !form.isVariable { rest = rest.drop { $0 == UInt8(ascii: " ") } }
    let isDotted = form == .braced && rest.remove(prefix: ".")
    let isPart = { (byte: UInt8) in
      byte.isOfVariableName || byte >= 0x80 || (byte == UInt8(ascii: "-") && !form.isVariable)
    }
    let name = rest.prefix(while: isPart)
    rest = rest.dropFirst(name.count)
    if !form.isVariable { rest = rest.drop { $0 == UInt8(ascii: " ") } }
    guard rest.remove(prefix: form.brackets.closing),
      let parameter = first(where: {
        (form.isVariable ? $0.variable : $0.name).utf8.elementsEqual(name)
      })
    else { return nil }
    return ParameterReference(
      parameter: parameter, form: form, range: start..<rest.startIndex, isDotted: isDotted)
  }
}

extension ArraySlice<UInt8> {
  /// Removes a text that the bytes begin with; returns false if they do not.
  fileprivate mutating func remove(prefix: String) -> Bool {
    guard starts(with: prefix.utf8) else { return false }
    self = dropFirst(prefix.utf8.count)
    return true
  }
}

extension UInt8 {
  /// True for a byte of a name that a shell takes for that of a variable.
  var isOfVariableName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
