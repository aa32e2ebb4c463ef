import Digests
import Platform

/// What the list of a file's recipes depends on: the files and variables that were read for it.
struct AdoptionInputs {
  /// A file that was looked for; without a digest if it was not there.
  struct File: Equatable {
    let path: String
    let digest: [UInt8]?
  }

  /// A variable of the environment.
  struct Variable: Equatable {
    let name: String
    let value: String?
  }

  private(set) var files: [File] = []
  private(set) var variables: [Variable] = []
  /// False if the list depends on something that is not known, such as a file at an address.
  private(set) var isComplete = true

  init() {}

  init(files: [File], variables: [Variable]) {
    (self.files, self.variables) = (files, variables)
  }

  /// True if all of it is as it was.
  var isCurrent: Bool {
    variables.allSatisfy { ProcessEnvironment.value(of: $0.name) == $0.value }
      && files.allSatisfy { $0.digest == (try? SHA256.digest(ofFile: $0.path)) }
  }

  /// True if a file was read, or looked for.
  func hasFile(_ path: String) -> Bool { files.contains { $0.path == path } }

  /// Reads a file; nil if that is not possible.
  mutating func content(of path: String) -> [UInt8]? {
    let content = fileContent(path)
    let digest = content.map(SHA256.digest(of:))
    if !hasFile(path) { files.append(File(path: path, digest: digest)) }
    return content
  }

  /// Reads a variable.
  @discardableResult
  mutating func value(ofVariable name: String) -> String? {
    let value = ProcessEnvironment.value(of: name)
    if !variables.contains(where: { $0.name == name }) {
      variables.append(Variable(name: name, value: value))
    }
    return value
  }

  /// Notes that the list depends on something else.
  mutating func addUnknown() { isComplete = false }
}
