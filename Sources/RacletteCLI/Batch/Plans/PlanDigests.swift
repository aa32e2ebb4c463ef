import Journal
import Scripting
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The content of what entries execute, so that what has changed is executed again.
final class PlanDigests: Sendable {
  /// Of the command file with all it requires.
  let commands: String
  /// Where relative paths of scripts begin.
  private let folder: String
  private let scripts = Mutex<[String: String]>([:])

  /// - Parameters:
  ///   - commandFile: its path; nil if there is none.
  ///   - folder: where relative paths of scripts begin.
  init(commandFile: String?, folder: String) {
    self.folder = folder
    commands = commandFile.flatMap { ScriptDigest(of: $0)?.text } ?? ""
  }

  /// Of a script with all it requires; nil if it cannot be read. Looked at once.
  func script(_ path: String) -> String? {
    if let known = scripts.withLock({ $0[path] }) { return known }
    guard let digest = ScriptDigest(of: absolute(path))?.text else { return nil }
    scripts.withLock { scripts in
      // A plan may name any number of scripts.
      if scripts.count >= 1_000 { scripts = [:] }
      scripts[path] = digest
    }
    return digest
  }

  func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}

/// The digest of a script and of what it names in `require`, `dofile` and `loadfile`, each followed in
/// turn. Names that are computed are not seen, and neither are modules of the system.
struct ScriptDigest {
  let text: String

  /// - Returns: nil if the script cannot be read.
  init?(of path: String) {
    guard Self.content(of: path) != nil else { return nil }
    var digest = SHA256()
    var known: Set<String> = [path]
    var due = [path][...]
    let folders = ScriptHost.moduleFolders(beside: path)
    while let next = due.popFirst() {
      guard let content = Self.content(of: next) else { continue }
      digest.update("\(content.count):".utf8)
      digest.update(content)
      for found in Self.references(in: content).compactMap({ $0.file(in: folders) })
      where known.insert(found).inserted {
        due.append(found)
      }
    }
    text = String(decoding: digest.finish().flatMap { Self.hexadecimal($0) }, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
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

  /// What follows the words in question, if it is a literal: `require "name"`, `dofile('file')`.
  private static func references(in content: [UInt8]) -> [Reference] {
    var found: [Reference] = []
    for word in ["require", "dofile", "loadfile"] {
      let pattern = Array(word.utf8)
      var place = 0
      while let start = content[place...].firstRange(of: pattern)?.lowerBound {
        place = start + pattern.count
        var rest = content[place...].drop { $0 == 32 || $0 == 9 }
        if rest.first == UInt8(ascii: "(") { rest = rest.dropFirst().drop { $0 == 32 } }
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { continue }
        let name = rest.dropFirst().prefix { $0 != quote && $0 != 10 }
        found.append(
          Reference(isModule: word == "require", name: String(decoding: name, as: UTF8.self)))
      }
    }
    return found
  }

  private static func content(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var content: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&space, 1, space.count, file)
      if count > 0 { content += space[..<count] }
      if count < space.count { return ferror(file) == 0 ? content : nil }
    }
  }
}
