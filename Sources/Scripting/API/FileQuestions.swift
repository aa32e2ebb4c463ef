import Digests
import EventLoop
import LuaRuntime
import Platform

extension Library {
  /// Functions that look for files and at them.
  static let fileQuestions: [APIFunction] = [
    APIFunction(
      "glob", needs: .files, [.required("patterns", .either(.string, .table("string[]")))],
      returns: .table("string[]"),
      "Returns the paths of the files that match a pattern or a list of patterns, in byte order: `*`, `?`, `[a-z]`, `{a,b}`, `**` for any number of folders, `!` to exclude.",
      example: """
        print(table.concat(rac.glob{"/etc/host{s,name}", "!/etc/hostname"}, " "))
        --> /etc/hosts
        """
    ) { call in
      let paths: [String]
      do {
        paths = try call.host.list(try call.patterns(), in: call.resolved("."))
      } catch let error as GlobError {
        guard case .unreadable = error else {
          throw LuaArgumentError.value(at: 1, problem: error.description)
        }
        throw Failure(.input, error.description)
      }
      call.stack.newTable(elements: paths.count)
      for (index, path) in paths.enumerated() {
        call.stack.push(path)
        call.stack.rawSet(index + 1, at: -2)
      }
      return .results(1)
    },
    APIFunction(
      "stat", needs: .files, [.required("path", .string)],
      returns: .noted(.table, "rac.FileStatus?"),
      "Returns the status of a file: `{kind =, size =, modified =, executable =, target =}`; nil if it does not exist. Follows symbolic links.",
      example: """
        print(rac.stat("/etc").kind, rac.stat("/etc/hosts").kind, rac.stat("/no/such/file"))
        --> folder	file	nil
        """
    ) { call in
      let path = call.resolved(try call.path(at: 1))
      var information = stat()
      guard stat(path, &information) == 0 || lstat(path, &information) == 0 else {
        guard errno == ENOENT || errno == ENOTDIR else {
          throw Failure(.input, "cannot examine '\(path)': \(systemErrorText(errno))")
        }
        return call.returning(.nil)
      }
      let kind =
        switch information.st_mode & S_IFMT {
        case S_IFREG: "file"
        case S_IFDIR: "folder"
        case S_IFLNK: "link"
        default: "other"
        }
      let time = information.modificationTime
      call.stack.newTable(fields: 5)
      call.stack.set("kind", .string(kind), at: -1)
      call.stack.set("size", .integer(Int64(information.st_size)), at: -1)
      call.stack.set(
        "modified", .number(Double(time.tv_sec) + Double(time.tv_nsec) / 1e9), at: -1)
      call.stack.set("executable", .bool(information.st_mode & 0o100 != 0), at: -1)
      if let target = linkTarget(of: path) {
        call.stack.push(target)
        call.stack.rawSet("target", at: -2)
      }
      return .results(1)
    },
    APIFunction(
      "digest", needs: .files, [.required("path", .string)], returns: .string,
      "Returns the SHA-256 digest of a file's content, in hexadecimal digits. Raises an error of kind `input` if the file cannot be read.",
      example: """
        local name = os.tmpname()
        io.open(name, "w"):write("abc"):close()
        print(rac.digest(name):sub(1, 12), os.remove(name))
        --> ba7816bf8f01	true
        """
    ) { call in
      let path = call.resolved(try call.path(at: 1))
      do { return call.returning(.string(try SHA256.digest(ofFile: path).hexadecimal)) } catch {
        throw Failure(.input, "\(error)")
      }
    },
    APIFunction(
      "which", needs: .files, [.required("name", .string)], returns: .noted(.string, "string?"),
      "Returns the path of the program that `rac.exec` would start for a name; nil if there is none. In a command's functions, it searches the `PATH` of that command.",
      example: """
        print(rac.which("sh"), rac.which("no-such-program"))
        --> /usr/bin/sh	nil
        """
    ) { call in
      let place = call.host.context.purpose.place ?? ProcessContext()
      // The answer is another one for a caller with another `PATH`.
      _ = (place.caller ?? call.host.environment).value(of: "PATH")
      let path = ProgramLookup.path(
        of: Array(try call.path(at: 1).exactBytes),
        environment: place.environment(of: call.host.environment), directory: place.directory)
      guard let path else { return call.returning(.nil) }
      call.stack.push(String(exactly: path))
      return .results(1)
    },
  ]
}

extension APICall {
  fileprivate func patterns() throws -> [String] {
    guard stack.type(at: 1) == .table else { return [try lua.string(at: 1)] }
    return try TableFields(stack, at: 1).elements.map { value in
      guard let pattern = value.stringValue?.exactText else {
        throw LuaArgumentError.value(at: 1, problem: "a list of patterns expected")
      }
      return pattern
    }
  }
}
