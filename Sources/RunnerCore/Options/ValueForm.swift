import Platform
import Scripting

/// The form of an option's value: for its validation, its messages, and shell completion.
package enum ValueForm: Equatable, Sendable {
  case any
  case choices([String])
  /// An integer, 1 or greater.
  case count
  /// An integer, 0 or greater.
  case number
  /// A duration: `30s`, `500ms`, `2m`, `1h`; a number alone is in seconds.
  case duration
  /// A size: `256M`; a number alone is in bytes.
  case size
  case file
  case folder
  /// Paths and patterns, separated by commas, behind `=`; they may be left out.
  case paths

  package var choices: [String] {
    if case .choices(let choices) = self { choices } else { [] }
  }

  func accepts(_ value: String) -> Bool {
    switch self {
    case .any: true
    case .choices(let choices): choices.contains(value)
    case .count: Int(value).map { $0 > 0 } ?? false
    case .number: Int(value).map { $0 >= 0 } ?? false
    case .duration: Duration(text: value) != nil
    case .size: Int(size: value) != nil
    case .file, .folder: !value.isEmpty
    case .paths: true
    }
  }
}

extension ValueForm: CustomStringConvertible {
  /// The form in words, as the end of a sentence.
  package var description: String {
    switch self {
    case .any: "any text"
    case .choices(let choices): "one of \(choices.joined(separator: ", "))"
    case .count: "a number from 1 up"
    case .number: "a number from 0 up"
    case .duration: "a time such as 30s, 500ms, 2m or 1h"
    case .size: "a size such as 256M"
    case .file: "a file"
    case .folder: "a folder"
    case .paths: "a list of paths, split by commas"
    }
  }
}

extension CommandLine {
  package func count(_ name: Option.Name) -> Int? { self[name].flatMap { Int($0) } }

  package func duration(_ name: Option.Name) -> Duration? {
    self[name].flatMap(Duration.init(text:))
  }

  func bytes(_ name: Option.Name) -> Int? { self[name].flatMap(Int.init(size:)) }
}
