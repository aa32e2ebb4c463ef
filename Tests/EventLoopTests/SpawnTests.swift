import Platform
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(5)))
final class SpawnTests {
  /// A directory of its own for each test, removed after it.
  private let folder: String

  init() throws {
    var template = Array("/tmp/eventloop-XXXXXX\0".utf8CString)
    let created = template.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    folder = try #require(created)
  }

  deinit {
    for name in ["plain", "script", "blob", "tool"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// Written by another program: what other tests start at this moment would inherit our descriptor, and
  /// a file that anybody could write to is not executed.
  private func file(_ name: String, _ text: String, mode: String) async throws -> String {
    let path = "\(folder)/\(name)"
    let run = try await run {
      ProcessRequest([
        "sh", "-c", #"printf %s "$2" >"$1"; chmod "$3" "$1""#, "sh", path, text, mode,
      ])
    }
    #expect(run.status == .exited(0))
    return path
  }

  /// The error of a start that must fail, with no handler called and nothing left alive.
  private func failure(_ request: @escaping @Sendable () -> ProcessRequest) async throws
    -> SpawnError?
  {
    try await withLoop { loop in
      var error: SpawnError?
      var isCalled = false
      do throws(SpawnError) {
        try loop.spawn(
          request(),
          onOutput: { _ in isCalled = true }, onEnd: { _ in isCalled = true })
      } catch let caught {
        error = caught
      }
      loop.run()
      return isCalled || loop.liveProcesses > 0 ? nil : error
    }
  }

  @Test func aProgramThatIsNotInPathIsNotFound() async throws {
    let error = try await failure { ProcessRequest(["no-such-program-anywhere"]) }
    #expect(error == .programNotFound(program: "no-such-program-anywhere"))
    #expect(
      error?.description == "cannot start 'no-such-program-anywhere': no such program in PATH")
  }

  @Test func aPathThatDoesNotExistIsNotFound() async throws {
    let error = try await failure { ProcessRequest(["/no/such/program"]) }
    #expect(error == .programNotFound(program: "/no/such/program"))
    #expect(error?.description == "cannot start '/no/such/program': no such file or directory")
  }

  @Test func aFileWithoutTheExecuteBitIsNotExecutable() async throws {
    let path = try await file("plain", "#!/bin/sh\n", mode: "600")
    let folder = folder
    let error = try await failure { ProcessRequest([path]) }
    #expect(error == .notExecutable(program: path, errno: EACCES))
    let found = try await failure {
      ProcessRequest(["plain"], environment: ["PATH=/nowhere:\(folder)"])
    }
    #expect(found == .notExecutable(program: path, errno: EACCES))
  }

  @Test func aDirectoryIsNotExecutable() async throws {
    let error = try await failure { ProcessRequest(["/tmp"]) }
    #expect(error == .notExecutable(program: "/tmp", errno: EACCES))
  }

  @Test func aMissingInterpreterIsNamedAsSuch() async throws {
    let path = try await file("script", "#!/no/such/interpreter\n", mode: "700")
    let error = try await failure { ProcessRequest([path]) }
    #expect(error == .interpreterNotFound(program: path))
  }

  @Test func aFileOfNoKnownFormatIsNamedAsSuch() async throws {
    let path = try await file("blob", "\u{1}\u{2}\u{3}", mode: "700")
    let error = try await failure { ProcessRequest([path]) }
    #expect(error == .unknownFormat(program: path))
  }

  @Test func theDirectoryMustExistAndBeOne() async throws {
    let path = try await file("plain", "", mode: "600")
    let missing = try await failure { ProcessRequest(["true"], directory: "/no/such/place") }
    #expect(missing == .directory("/no/such/place", errno: ENOENT))
    let plain = try await failure { ProcessRequest(["/bin/true"], directory: path) }
    #expect(plain == .directory(path, errno: ENOTDIR))
    #expect(
      missing?.description
        == "cannot start in directory '/no/such/place': no such file or directory")
  }

  @Test func argumentsBeyondTheLimitAreTooLong() async throws {
    let error = try await failure {
      ProcessRequest(["true", String(repeating: "x", count: 1 << 20)])
    }
    #expect(error == .argumentsTooLong(program: "true"))
  }

  @Test func noProgramAndNulBytesAreRefused() async throws {
    #expect(try await failure { ProcessRequest([]) } == .noProgram)
    #expect(try await failure { ProcessRequest([""]) } == .noProgram)
    #expect(try await failure { ProcessRequest(["true", "a\0b"]) } == .nulByte(in: "a\0b"))
  }

  @Test(arguments: [EAGAIN, ENOMEM, EMFILE, ENFILE])
  func aLackOfResourcesIsToldApart(errorNumber: Int32) {
    let lookup = ProgramLookup(ProcessRequest(["true"]), program: Array("true".utf8))
    let error = lookup.error(errorNumber, path: Array("/bin/true".utf8))
    #expect(error == .resourcesExhausted(program: "true", errno: errorNumber))
    #expect(error.description.hasPrefix("cannot start 'true': the system is out of resources ("))
  }

  @Test func aFailedStartLeavesTheLoopUsable() async throws {
    let status = try await withLoop { loop in
      var status: ProcessEnd.Status?
      for _ in 0..<50 {
        _ = try? loop.spawn(ProcessRequest(["/no/such/program"]), onEnd: { _ in })
      }
      try loop.spawn(ProcessRequest(["true"])) { status = $0.status }
      loop.run()
      return status
    }
    #expect(status == .exited(0))
  }

  @Test func theChildStartsInItsDirectoryWithItsEnvironment() async throws {
    let folder = folder
    let run = try await run {
      ProcessRequest(
        ["/bin/sh", "-c", "pwd; echo \"$A-$B-$HOME\""],
        environment: ["A=1", "B=two words"], directory: folder)
    }
    #expect(run.text == "\(folder)\n1-two words-\n")
  }

  @Test func aBareNameIsLookedUpInTheChildsPath() async throws {
    let folder = folder
    _ = try await file("tool", "#!/bin/sh\necho tool \"$@\"\n", mode: "700")
    let absolute = try await run {
      ProcessRequest(["tool", "a b", ""], environment: ["PATH=/nowhere:\(folder)"])
    }
    #expect(absolute.text == "tool a b \n")
    let relative = try await run {
      ProcessRequest(["./tool"], directory: folder)
    }
    #expect(relative.text == "tool\n")
    let current = try await run {
      ProcessRequest(["tool"], environment: ["PATH=:/bin"], directory: folder)
    }
    #expect(current.text == "tool\n")
  }

  @Test func argumentsAreBytes() async throws {
    let run = try await run {
      ProcessRequest(argv: [Array("printf".utf8), Array("%s".utf8), [255, 192, 65]])
    }
    #expect(run.output == [255, 192, 65])
  }

  @Test func theChildInheritsTheEnvironmentByDefault() async throws {
    let run = try await shell("echo \"$PATH\"")
    let path = try #require(getenv("PATH").map { String(cString: $0) })
    #expect(run.text == path + "\n")
  }

  #if os(Linux)
    @Test func theChildHasDefaultSignalsAndAnEmptyMask() async throws {
      let run = try await run { ProcessRequest(["cat", "/proc/self/status"]) }
      // Signals 32 and above include two that the C library keeps for itself.
      let standard: UInt64 = 0x7fff_ffff
      for field in ["SigBlk:", "SigIgn:", "SigCgt:"] {
        let line = run.text.split(separator: "\n").first { $0.hasPrefix(field) }
        let digits = try #require(line?.split(separator: "\t").last)
        let set = try #require(UInt64(digits, radix: 16))
        #expect(set & standard == 0, "\(field) \(digits)")
      }
    }

    @Test func theChildGetsNoDescriptorOfOursButItsThreeStreams() async throws {
      // What other tests have open for a moment may come along too; what is ours would each time.
      var surplus: Set<String> = []
      for _ in 0..<20 where surplus.count != 1 {
        // What the process that runs the tests handed down to us goes on to the child.
        var inherited = Set((0...2).map(String.init))
        for number in Int32(3)..<4_096 {
          let flags = fcntl(number, F_GETFD)
          if flags >= 0 && flags & FD_CLOEXEC == 0 { inherited.insert("\(number)") }
        }
        let run = try await run {
          var request = ProcessRequest(["ls", "/proc/self/fd"])
          request.input = .pipe
          request.errors = .capture
          return request
        }
        surplus = Set(run.text.split(separator: "\n").map(String.init)).subtracting(inherited)
      }
      // What `ls` reads the directory with.
      #expect(surplus.count == 1, "\(surplus)")
    }

    @Test func theChildLeadsItsOwnGroup() async throws {
      let (pid, stat) = try await withLoop { loop in
        var output: [UInt8] = []
        let process = try loop.spawn(
          ProcessRequest(["cat", "/proc/self/stat"]), onOutput: { output += $0 }, onEnd: { _ in })
        loop.run()
        return (process.processID, String(decoding: output, as: UTF8.self))
      }
      let fields = stat.split(separator: " ")
      #expect(fields.first == "\(pid)")
      #expect(fields.dropFirst(4).first == "\(pid)")
    }

    @Test func thousandsOfChildrenLeaveNoDescriptorBehind() async throws {
      func openDescriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
      }
      let rounds = 2_000
      let before = openDescriptors()
      let ended = try await withLoop { loop in
        var ended = 0
        func next(_ left: Int) {
          guard left > 0 else { return }
          var request = ProcessRequest(["true"])
          request.input = .pipe
          request.errors = .capture
          _ = try? loop.spawn(request) { _ in
            ended += 1
            next(left - 1)
          }
          _ = try? loop.spawn(ProcessRequest(["/no/such/program"]), onEnd: { _ in })
        }
        for _ in 0..<4 { next(rounds / 4) }
        loop.run()
        return ended
      }
      #expect(ended == rounds)
      // Other tests of this process hold some of their own at any time.
      var looks = 0
      while openDescriptors() >= before + rounds / 4, looks < 1_000 {
        looks += 1
        usleep(10_000)
      }
      #expect(looks < 1_000)
    }
  #endif
}
