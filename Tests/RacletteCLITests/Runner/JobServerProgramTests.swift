import Platform
import Testing

/// One budget over Raclette and the real programs that take part in a job server, one inside the other.
/// `scripts/setup --bench` provides those that a machine may lack.
@Suite("a job server and real programs", .timeLimit(.minutes(5)))
struct JobServerProgramTests {
  /// A program that takes part, and the line by which it makes all leaves of build `%`.
  struct Builder: Sendable, CustomTestStringConvertible {
    let name: String
    let line: String

    var testDescription: String { name }

    /// Its executable, if this machine has it.
    var path: String? { JobServerProgramTests.path(of: name) }
  }

  /// Where programs are: those of `scripts/setup` come first.
  private static let folders: [String] = {
    let cache =
      getenv("XDG_CACHE_HOME").map { String(cString: $0) }
      ?? getenv("HOME").map { String(cString: $0) + "/.cache" } ?? ""
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return ["\(cache)/raclette/programs", "\(cache)/raclette/python/bin"]
      + path.split(separator: ":").map { String($0) }
  }()

  /// The executable of a program, if this machine has it.
  static func path(of name: String) -> String? {
    folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  private static let builds = 3
  private static let parts = 8
  private static let jobs = 3

  /// The pairs that this machine has and in which Raclette is one.
  private static let pairs = servers.flatMap { server in
    builders.map { (server, $0) }.filter { [$0.name, $1.name].contains("raclette") }
  }.filter { isThere($0) && isThere($1) }

  private static func isThere(_ builder: Builder) -> Bool {
    builder.name == "raclette" || builder.path != nil
  }

  private static let builders = [
    Builder(name: "raclette", line: "raclette -q -f leaves.lua all%"),
    Builder(name: "make", line: "make -s -f leaves.mk all%"),
    Builder(name: "make-4.4", line: "make-4.4 -s -f leaves.mk all%"),
    Builder(name: "ninja", line: "ninja --quiet -f leaves%.ninja"),
    Builder(name: "ninja-1.11", line: "ninja-1.11 --quiet -f leaves%.ninja"),
    // The assembler is a leaf, at least one for each object.
    Builder(
      name: "gcc",
      line: "gcc -flto=jobserver -flto-partition=1to1 -Bassembler/ -o program% part*.o main.o"),
    // The compiler is a leaf, at least one for each crate.
    Builder(
      name: "cargo",
      line: "RUSTC_WRAPPER=$PWD/leaf cargo build -q --offline --manifest-path crates%/Cargo.toml"),
  ]
  private static let servers = [
    Builder(name: "raclette", line: "raclette -q -j\(jobs) -f all.lua all"),
    Builder(name: "make", line: "make -s -j\(jobs) -f all.mk all"),
    Builder(name: "make-4.4", line: "make-4.4 -s -j\(jobs) -f all.mk all"),
  ]

  private let folder = Folder()
  private let leaves: Leaves

  init() async {
    leaves = await Leaves(in: folder)
    Self.write(to: folder)
    _ = await shell("gcc -O1 -flto -c part*.c main.c", in: folder)
  }

  /// Writes the builds in the language of each program.
  private static func write(to folder: Folder) {
    var (makefile, script) = ("t%:\n\t@./leaf\n", "")
    for build in 1...builds {
      let targets = (1...parts).map { "t\(build).\($0)" }
      makefile += "all\(build): \(targets.joined(separator: " "))\n"
      script += targets.map { "rac.command{name = '\($0)', run = {'./leaf'}}\n" }.joined()
      let needs = targets.map { "'\($0)'" }.joined(separator: ", ")
      script += "rac.command{name = 'all\(build)', needs = {\(needs)}, run = function() end}\n"
      folder.write(
        "builddir = ninja\(build)\nrule leaf\n  command = ./leaf\n"
          + targets.map { "build \($0): leaf\n" }.joined(), to: "leaves\(build).ninja")
      let members = (1...parts).map { "'p\($0)'" }.joined(separator: ", ")
      folder.write(
        "[workspace]\nresolver = '2'\nmembers = [\(members)]\n", to: "crates\(build)/Cargo.toml")
      for part in 1...parts {
        folder.write(
          "[package]\nname = 'p\(part)'\nversion = '0.1.0'\nedition = '2021'\n",
          to: "crates\(build)/p\(part)/Cargo.toml")
        folder.write("pub fn number() -> u32 { 1 }\n", to: "crates\(build)/p\(part)/src/lib.rs")
      }
    }
    folder.write(makefile, to: "leaves.mk")
    folder.write(script, to: "leaves.lua")
    folder.write("#!/bin/sh\nexec ./leaf /usr/bin/as \"$@\"\n", to: "assembler/as")
    chmod(folder["assembler/as"], 0o755)
    for part in 1...parts {
      folder.write(
        "__attribute__((noipa)) int part\(part)(int n) { return n + \(part); }\n",
        to: "part\(part).c")
    }
    folder.write(
      (1...parts).map { "int part\($0)(int);\n" }.joined()
        + "int main(int n, char **words) { return "
        + (1...parts).map { "part\($0)(n)" }.joined(separator: " + ") + "; }\n", to: "main.c")
  }

  /// Writes what begins all builds at once by a program.
  ///
  /// - Parameter defaults: the beginning of the command file.
  private func write(_ line: String, _ defaults: String) {
    var (makefile, script) = ("", defaults)
    for build in 1...Self.builds {
      let line = line.replacing("%", with: "\(build)")
      makefile += "b\(build):\n\t+@\(line.replacing("$", with: "$$"))\n"
      script += "rac.command{name = 'b\(build)', run = [[\(line)]]}\n"
    }
    let all = (1...Self.builds).map { "b\($0)" }
    folder.write("all: \(all.joined(separator: " "))\n" + makefile, to: "all.mk")
    let needs = all.map { "'\($0)'" }.joined(separator: ", ")
    folder.write(
      script + "rac.command{name = 'all', needs = {\(needs)}, run = function() end}\n",
      to: "all.lua")
  }

  /// What takes part by a named pipe.
  private static let byPath = builders.filter {
    ["raclette", "make-4.4", "ninja"].contains($0.name) && isThere($0)
  }

  @Test(
    "never execute more leaves than there are jobs with jobserver = \"fifo\"", arguments: byPath)
  func limitByPath(builder: Builder) async {
    await expectLimit(Self.servers[0], builder, defaults: "rac.defaults{jobserver = 'fifo'}\n")
  }

  @Test("never execute more leaves than there are jobs", arguments: pairs)
  func limit(server: Builder, builder: Builder) async { await expectLimit(server, builder) }

  private func expectLimit(_ server: Builder, _ builder: Builder, defaults: String = "") async {
    folder.makeFolder(".bin")
    for one in [server, builder] {
      if let path = one.path { symlink(path, folder[".bin/\(one.name)"]) }
    }
    write(builder.line, defaults)
    let run = await shell(server.line, in: folder)
    #expect(run.status == 0 && run.errors == "" && run.output == "", "\(run)")
    #expect(leaves.count >= Self.builds * Self.parts)
    #expect((2...Self.jobs).contains(leaves.mostAtOnce))
  }
}
