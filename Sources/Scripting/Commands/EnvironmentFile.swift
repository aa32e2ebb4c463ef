import LuaRuntime
import Platform

/// Files of variables, by convention `.env`; see `EnvironmentFileParser` for their form.
enum EnvironmentFile {
  /// Returns the variables that files set, in order; the last value of a name is the one that counts.
  ///
  /// - Throws: `Failure` with the file and line for the first problem.
  static func read(_ files: [VariableFile]) throws(Failure) -> [EnvironmentChange] {
    var changes: [EnvironmentChange] = []
    var values: [String: [UInt8]] = [:]
    for file in files {
      let bytes: ContiguousArray<UInt8>
      do { bytes = try SourceFile.read(file.path, .regularFile) } catch {
        if file.isOptional, error.isAbsence { continue }
        throw Failure(.input, "env_file '\(file.path)': \(error)")
      }
      var parser = EnvironmentFileParser(bytes, path: file.path)
      while let (name, value) = try parser.next({ name in
        // As processes will see it: a variable that is already set takes precedence.
        ProcessEnvironment.value(of: name)?.exactBytes ?? values[name]
      }) {
        values[name] = value
        changes.append((name, value))
      }
    }
    return changes
  }
}
