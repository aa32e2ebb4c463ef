import Digests
import LuaRuntime
import Platform
import RunnerCore
import Scripting
import Synchronization

/// Digests of the files that entries execute, so that changed ones are executed again.
package final class PlanDigests: Sendable {
  /// The digest of the command file and of all that it requires.
  let commands: String
  /// The folder to which relative paths of scripts refer.
  private let folder: String
  private let scripts = Mutex<[String: ScriptDigest]>([:])

  /// - Parameters:
  ///   - commandFile: its path; nil if there is none.
  ///   - folder: the folder to which relative paths of scripts refer.
  package init(commandFile: String?, folder: String) {
    self.folder = folder
    commands = commandFile.flatMap { ScriptDigest(of: $0)?.text } ?? ""
  }

  /// The current digest of a script and of all that it requires; nil if it cannot be read.
  func script(_ path: String) -> String? {
    if let known = scripts.withLock({ $0[path] }), known.isCurrent { return known.text }
    guard let digest = ScriptDigest(of: absolute(path)) else { return nil }
    scripts.withLock { scripts in
      // A plan may name any number of scripts, so the cache is bounded.
      if scripts.count >= 1_000 { scripts = [:] }
      scripts[path] = digest
    }
    return digest.text
  }

  package func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(folder)/\(path)"
  }
}

/// The digest of a script and of the files that it names in `require`, `dofile`, `loadfile` and
/// `rac.include`, each followed recursively. Computed names and modules of the system are not included.
package struct ScriptDigest: Sendable {
  let text: String
  /// The files in the digest, and their stamps before they were read.
  private var files: [String: FileStamp] = [:]

  /// The files in the digest, sorted.
  package var paths: [String] { files.keys.sorted() }

  /// True if none of the files has changed since.
  var isCurrent: Bool { files.allSatisfy { FileStamp($0.key) == $0.value } }

  /// - Returns: nil if the script cannot be read.
  package init?(of path: String) {
    guard Self.content(of: path) != nil else { return nil }
    var digest = SHA256()
    var known: Set<String> = [path]
    var due = [path][...]
    let folders = ScriptHost.moduleFolders(beside: path)
    while let next = due.popFirst() {
      files[next] = FileStamp(next)
      guard let content = Self.content(of: next) else { continue }
      digest.update(part: content)
      let included = Self.included(by: content, of: next)
      for found in Self.references(in: content).compactMap({ $0.file(in: folders) }) + included
      where known.insert(found).inserted {
        due.append(found)
      }
    }
    text = digest.finish().hexadecimal
  }

  private struct Reference {
    let isModule: Bool
    let name: String

    func file(in folders: [String]) -> String? {
      guard isModule else { return access(name, R_OK) == 0 ? name : nil }
      let path = name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "/")
      for folder in folders {
        for form in ["\(path).lua", "\(path)/init.lua", "\(path).so"]
        where access("\(folder)/\(form)", R_OK) == 0 {
          return "\(folder)/\(form)"
        }
      }
      return nil
    }
  }

  /// The literal arguments of these functions: `require "name"`, `dofile('file')`, `require
  /// [[name]]`.
  private static func references(in content: [UInt8]) -> [Reference] {
    var found: [Reference] = []
    for word in ["require", "dofile", "loadfile"] {
      let pattern = Array(word.utf8)
      var place = 0
      while let start = content[place...].firstRange(of: pattern)?.lowerBound {
        place = start + pattern.count
        guard let name = literal(content[place...]) else { continue }
        found.append(
          Reference(isModule: word == "require", name: String(decoding: name, as: UTF8.self)))
      }
    }
    return found
  }

  /// The files that literal calls of `rac.include` name, which are relative to the calling file.
  private static func included(by content: [UInt8], of path: String) -> [String] {
    var found: [String] = []
    let pattern = Array("include".utf8)
    var place = 0
    while let start = content[place...].firstRange(of: pattern)?.lowerBound {
      place = start + pattern.count
      guard let rest = afterNamespace(content[place...]) else { continue }
      let behind = rest.drop { isSpace($0) }
      guard behind.first == UInt8(ascii: ","), let name = literal(behind.dropFirst()) else {
        continue
      }
      let file = ScriptHost.path(String(exactly: name), includedBy: path)
      if access(file, R_OK) == 0 { found.append(file) }
    }
    return found
  }

  /// What follows the first argument of a call of `rac.include`: a literal, or nil.
  private static func afterNamespace(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let inside = text.drop { isSpace($0) || $0 == UInt8(ascii: "(") }
    if inside.starts(with: "nil".utf8) { return inside.dropFirst(3) }
    guard let namespace = literal(text), namespace.endIndex < text.endIndex else { return nil }
    return text[(namespace.endIndex + 1)...]
  }

  /// The text that is the argument of a call, with or without parentheses.
  private static func literal(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = text.drop(while: isSpace)
    if rest.first == UInt8(ascii: "(") { rest = rest.dropFirst().drop(while: isSpace) }
    if rest.starts(with: "[[".utf8) {
      return rest.dropFirst(2).prefix { $0 != UInt8(ascii: "]") && $0 != 10 }
    }
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return nil
    }
    return rest.dropFirst().prefix { $0 != quote && $0 != 10 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func content(of path: String) -> [UInt8]? {
    (try? SourceFile.read(path, .regularFile)).map(Array.init)
  }
}
