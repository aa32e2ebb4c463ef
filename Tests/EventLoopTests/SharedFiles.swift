import Platform
import Testing

/// A new folder that nobody else uses.
func newFolder() -> String? {
  var template = Array("/tmp/raclette-shared-XXXXXX".utf8CString)
  return template.withUnsafeMutableBufferPointer { name in
    name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
  }
}

func removeFolder(_ path: String) {
  for name in names(inFolder: path) ?? [] { unlink("\(path)/\(name)") }
  rmdir(path)
}

/// A process that is stopped, and ends with this object.
final class StoppedProcess: Sendable {
  let id: pid_t

  init() {
    var id: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
    defer { arguments.forEach { free($0) } }
    precondition(posix_spawnp(&id, "sleep", nil, nil, &arguments, environ) == 0)
    self.id = id
    kill(id, SIGSTOP)
    wait(for: WUNTRACED)
  }

  deinit {
    kill(id, SIGKILL)
    wait(for: 0)
  }

  func goOn() {
    kill(id, SIGCONT)
    wait(for: WCONTINUED)
  }

  private func wait(for options: Int32) {
    var status: Int32 = 0
    while waitpid(id, &status, options) < 0, errno == EINTR {}
  }
}
