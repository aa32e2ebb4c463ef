import Digests
import EventLoop
import Platform

/// The recipes of files that another program lists, kept in the user's cache folder, one document for
/// each file. They count as long as that program and the contents of all files that were read are the
/// same.
enum AdoptionCache {
  /// Lists the recipes of a file and notes what they depend on.
  typealias Lister = (AdoptedFile, inout AdoptionInputs) throws(AdoptionError) -> [AdoptedRecipe]

  /// Returns the recipes that are kept, or lists and keeps them.
  ///
  /// - Parameter tool: the program that lists them.
  static func recipes(
    of file: AdoptedFile, listedBy tool: String, _ list: Lister
  ) throws(AdoptionError) -> [AdoptedRecipe] {
    guard let key = key(of: file, listedBy: tool), let path = place(of: file) else {
      var inputs = AdoptionInputs()
      return try list(file, &inputs)
    }
    if let kept = recipes(at: path, key) { return kept }
    var inputs = AdoptionInputs()
    _ = inputs.content(of: file.path)
    let recipes = try list(file, &inputs)
    // A file that somebody wrote meanwhile is not what was listed.
    if inputs.isComplete, inputs.isCurrent { keep(recipes, inputs, key, at: path) }
    return recipes
  }

  /// True if there are recipes of a file, which may be of an earlier state of it.
  static func keeps(_ file: AdoptedFile) -> Bool {
    place(of: file).map { access($0, F_OK) == 0 } ?? false
  }

  /// What identifies the program, and the form of the document; nil if there is no such program.
  private static func key(of file: AdoptedFile, listedBy tool: String) -> [UInt8]? {
    guard
      let path = ProgramLookup.path(
        of: Array(tool.utf8), environment: nil, directory: Array(file.folder.utf8))
    else { return nil }
    var information = stat()
    guard stat(String(decoding: path, as: UTF8.self), &information) == 0 else { return nil }
    var writer = ByteWriter()
    writer.write("recipes 2, \(ScriptHost.version)")
    // The words of the recipes have the file's name, and their lister looked around from here.
    writer.write(file.path)
    writer.write(path)
    writer.write(Int(information.st_size))
    writer.write(Int(information.st_ino))
    writer.write(information.modificationTime.tv_sec)
    writer.write(information.modificationTime.tv_nsec)
    return writer.bytes
  }

  /// The path of the document; nil if the user has no cache folder.
  private static func place(of file: AdoptedFile) -> String? {
    guard let real = resolvedPath(file.path),
      let cache = ProcessEnvironment.folder(of: "XDG_CACHE_HOME")
        ?? ProcessEnvironment.folder(of: "HOME").map({ "\($0)/.cache" })
    else { return nil }
    return "\(cache)/raclette/recipes/\(SHA256.digest(of: real.exactBytes).hexadecimal)"
  }

  private static func recipes(at path: String, _ key: [UInt8]) -> [AdoptedRecipe]? {
    guard let bytes = fileContent(path) else { return nil }
    var reader = ByteReader(bytes)
    do {
      guard try reader.part() == key, try AdoptionInputs(from: &reader).isCurrent else {
        return nil
      }
      let recipes = try reader.list(AdoptedRecipe.init(from:))
      return reader.isAtEnd ? recipes : nil
    } catch {
      return nil
    }
  }

  /// A cache that cannot be written costs time, and nothing else.
  private static func keep(
    _ recipes: [AdoptedRecipe], _ inputs: AdoptionInputs, _ key: [UInt8], at path: String
  ) {
    var writer = ByteWriter()
    writer.write(key)
    inputs.write(to: &writer)
    writer.write(list: recipes) { $1.write(to: &$0) }
    let part = "\(path).\(getpid())"
    guard makeFolders(above: path) else { return }
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let isWritten = writeAll(writer.bytes, to: descriptor) == 0
    close(descriptor)
    if !isWritten || rename(part, path) != 0 { unlink(part) }
  }
}

extension AdoptionInputs {
  fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    self.init(
      files: try reader.list { reader throws(ByteReader.Malformed) in
        File(
          path: try reader.text(),
          digest: try reader.optional { reader throws(ByteReader.Malformed) in try reader.part() })
      },
      variables: try reader.list { reader throws(ByteReader.Malformed) in
        Variable(name: try reader.text(), value: try reader.optionalText())
      })
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(list: files) { writer, file in
      writer.write(file.path)
      writer.write(optional: file.digest) { $0.write($1) }
    }
    writer.write(list: variables) { writer, variable in
      writer.write(variable.name)
      writer.write(optional: variable.value)
    }
  }
}
