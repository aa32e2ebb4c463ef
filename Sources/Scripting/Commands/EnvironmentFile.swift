import LuaRuntime
import Platform

/// Files of variables, by convention `.env`; see `EnvironmentFileParser` for their form.
public enum EnvironmentFile {
  /// Returns the variables that files set, in order; the last value of a name is the one that counts.
  ///
  /// - Throws: `Failure` with the file and line for the first problem.
  ///
  /// - Parameters:
  ///   - name: what names the files, for messages.
  ///   - caller: the variables that take precedence.
  ///   - unset: the value of variables that are not set; nil if to name them is a mistake.
  static func read(
    _ files: [VariableFile], called name: String = "env_file", for caller: CallerEnvironment,
    unset: [UInt8]? = nil
  ) throws(Failure) -> [EnvironmentChange] {
    var changes: [EnvironmentChange] = []
    var values: [String: [UInt8]] = [:]
    for file in files {
      let bytes: ContiguousArray<UInt8>
      do { bytes = try SourceFile.read(file.path, .regularFile) } catch {
        if file.isOptional, error.isAbsence { continue }
        throw Failure(.input, "\(name) '\(file.path)': \(error)")
      }
      var parser = EnvironmentFileParser(bytes, path: file.path)
      while let (name, value) = try parser.next({ name in
        // As processes will see it: a variable that is already set takes precedence.
        caller.value(of: name) ?? values[name] ?? unset
      }) {
        values[name] = value
        changes.append((name, value))
      }
    }
    return changes
  }

  /// Sets the variables of files that the process's environment does not have yet.
  ///
  /// - Parameter name: what names the files, for messages.
  /// - Throws: `Failure` with the file and line for the first problem; then nothing is set.
  public static func load(_ paths: [String], called name: String) throws(Failure) {
    let files = paths.map { VariableFile(path: $0) }
    let changes = try read(files, called: name, for: .own)
      .filter { ProcessEnvironment.value(of: $0.name) == nil }
    for (name, value) in changes { ProcessEnvironment.set(name, to: value) }
  }
}
