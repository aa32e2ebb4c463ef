import CYAML
import Platform

/// A value of a YAML document, with its line.
struct YAMLNode: Sendable {
  enum Content: Sendable {
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case map([(key: YAMLNode, value: YAMLNode)])
  }

  var content: Content
  /// From 1.
  let line: Int

  subscript(name: String) -> YAMLNode? { entries.first { $0.name == name }?.value }

  /// The entries whose keys are scalars.
  var entries: [(name: String, line: Int, value: YAMLNode)] {
    guard case .map(let pairs) = content else { return [] }
    return pairs.compactMap { key, value in key.text.map { ($0, key.line, value) } }
  }

  var elements: [YAMLNode] { if case .list(let elements) = content { elements } else { [] } }
  var text: String? { if case .scalar(let text, _) = content { text } else { nil } }
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// True for a plain `true`.
  var isTrue: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["true", "True", "TRUE", "yes", "on"].contains(text)
  }

  /// True for a plain `false`.
  var isFalse: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["false", "False", "FALSE", "no", "off"].contains(text)
  }

  /// The texts of a list, or a single one.
  var texts: [String] { text.map { [$0] } ?? elements.compactMap(\.text) }
}

/// The reason why a YAML document cannot be read.
enum YAMLError: Error {
  case library(reason: String)
  case syntax(line: Int, reason: String)
}

extension YAMLNode {
  /// Reads the first document of a text; a null if it has none.
  init(parsing text: [UInt8]) throws(YAMLError) {
    if let reason = cyaml_load() { throw .library(reason: String(cString: reason)) }
    let result: Result<YAMLNode, YAMLError> = text.withUnsafeBufferPointer { bytes in
      guard let reader = cyaml_open(bytes.baseAddress, bytes.count) else {
        return .failure(.library(reason: "no memory"))
      }
      defer { cyaml_close(reader) }
      var composer = YAMLComposer()
      do throws(YAMLError) {
        return .success(try composer.document(from: reader))
      } catch {
        return .failure(error)
      }
    }
    self = try result.get()
  }
}

/// Puts the events of a document together. Aliases and merge keys are resolved.
private struct YAMLComposer {
  /// A list or map that is not yet complete; a map's keys and values in turns.
  private struct Frame {
    let isMap: Bool
    let line: Int
    let anchor: String?
    var nodes: [YAMLNode] = []
  }

  private var frames: [Frame] = []
  private var root: YAMLNode?
  private var anchors: [String: YAMLNode] = [:]
  /// The entries that merge keys have copied, which a few lines can make many.
  private var copied = 0

  private static let greatestDepth = 200
  private static let mostCopies = 100_000

  mutating func document(from reader: OpaquePointer) throws(YAMLError) -> YAMLNode {
    while true {
      var event = cyaml_event()
      guard cyaml_next(reader, &event) else {
        var line = 0
        let reason = String(cString: cyaml_problem(reader, &line))
        throw .syntax(line: line, reason: reason)
      }
      let line = event.line
      let anchor = event.anchor.map { String(cString: $0) }
      switch event.kind {
      case cyaml_end, cyaml_document_end:
        return root ?? YAMLNode(content: .scalar("", isPlain: true), line: line)
      case cyaml_alias:
        guard let anchor, let node = anchors[anchor] else {
          throw .syntax(line: line, reason: "no value is named '\(anchor ?? "")'")
        }
        add(node, anchor: nil)
      case cyaml_scalar:
        let text = String(
          decoding: UnsafeBufferPointer(start: event.text, count: event.count), as: UTF8.self)
        add(YAMLNode(content: .scalar(text, isPlain: event.is_plain), line: line), anchor: anchor)
      case cyaml_list_start, cyaml_map_start:
        guard frames.count < Self.greatestDepth else {
          throw .syntax(line: line, reason: "it is nested too deeply")
        }
        frames.append(Frame(isMap: event.kind == cyaml_map_start, line: line, anchor: anchor))
      case cyaml_list_end, cyaml_map_end:
        let frame = frames.removeLast()
        let content: YAMLNode.Content =
          frame.isMap ? .map(try merged(frame)) : .list(frame.nodes)
        add(YAMLNode(content: content, line: frame.line), anchor: frame.anchor)
      default: break
      }
    }
  }

  private mutating func add(_ node: YAMLNode, anchor: String?) {
    if let anchor { anchors[anchor] = node }
    if frames.isEmpty {
      root = node
    } else {
      frames[frames.count - 1].nodes.append(node)
    }
  }

  /// Returns the entries of a map: its own, then those of its merge keys that it has not.
  private mutating func merged(
    _ frame: Frame
  ) throws(YAMLError) -> [(key: YAMLNode, value: YAMLNode)] {
    var pairs: [(key: YAMLNode, value: YAMLNode)] = []
    var merges: [YAMLNode] = []
    for index in stride(from: 0, to: frame.nodes.count - 1, by: 2) {
      let (key, value) = (frame.nodes[index], frame.nodes[index + 1])
      if case .scalar("<<", isPlain: true) = key.content {
        if case .list(let maps) = value.content { merges += maps } else { merges.append(value) }
      } else {
        pairs.append((key, value))
      }
    }
    guard !merges.isEmpty else { return pairs }
    var known = Set(pairs.compactMap(\.key.text))
    for case .map(let others) in merges.map(\.content) {
      for pair in others {
        guard let name = pair.key.text, known.insert(name).inserted else { continue }
        copied += 1
        guard copied < Self.mostCopies else {
          throw .syntax(line: frame.line, reason: "its merge keys make too many entries")
        }
        pairs.append(pair)
      }
    }
    return pairs
  }
}

extension AdoptedFile {
  /// The document of a YAML file.
  func yaml(_ content: [UInt8]) throws(AdoptionError) -> YAMLNode {
    do { return try YAMLNode(parsing: content) } catch {
      switch error {
      case .library(let reason):
        throw .missingLibrary("libyaml", package: "libyaml-0-2", file: title, reason: reason)
      case .syntax(let line, let reason): throw .malformed(title, line: line, reason: reason)
      }
    }
  }
}
