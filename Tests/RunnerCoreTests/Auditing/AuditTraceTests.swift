import Platform
import Testing

@testable import RunnerCore

/// Traces of a runner with the number 1, in a folder whose files `left` are there at the end.
@Suite("what belongs to an audited command")
struct AuditTraceTests {
  private static func findings(
    _ lines: [String], left: [String] = [], definition: [String] = []
  ) -> (read: [String], written: [String], all: AuditFindings) {
    var name = Array("/tmp/raclette-audit-XXXXXX".utf8CString)
    mkdtemp(&name)
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { for file in left.reversed() + [""] { _ = Platform.remove("\(folder)/\(file)") } }
    for file in left {
      if file.hasSuffix("/") {
        mkdir("\(folder)/\(file)", 0o700)
      } else {
        close(open("\(folder)/\(file)", O_WRONLY | O_CREAT, 0o600))
      }
    }
    var trace = AuditTrace(from: folder)
    let text = lines.map { $0.split(separator: "%").joined(separator: folder) + "\n" }.joined()
    trace.add(text.utf8)
    let all = trace.findings(definition: definition.map { "\(folder)/\($0)" })
    func short(_ files: [AuditFindings.File]) -> [String] {
      files.map(\.path).filter { $0.hasPrefix(folder + "/") }
        .map { String($0.dropFirst(folder.count + 1)) }
    }
    return (short(all.read), short(all.written), all)
  }

  private static func reads(_ process: Int, _ name: String) -> String {
    #"\#(process) openat(AT_FDCWD<%>, "\#(name)", O_RDONLY) = 3<%/\#(name)>"#
  }

  private static func writes(_ process: Int, _ name: String) -> String {
    #"\#(process) openat(AT_FDCWD<%>, "\#(name)", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3<%/\#(name)>"#
  }

  private static func starts(_ child: Int, by parent: Int = 1) -> String {
    "\(parent) clone(child_stack=NULL, flags=CLONE_VM|CLONE_VFORK|SIGCHLD) = \(child)"
  }

  private static func mark(_ name: String) -> String {
    #"1 openat(AT_FDCWD<%>, "/dev/null/raclette/\#(name)", O_RDONLY) = -1 ENOTDIR (Not a directory)"#
  }

  @Test("are the groups that the runner says, and the descendants of their leaders")
  func groups() {
    let found = Self.findings([
      Self.reads(1, "runner"), Self.starts(2), Self.mark("other/2"), Self.reads(2, "need"),
      Self.mark("begin"), Self.starts(3), Self.mark("audited/3"), Self.reads(3, "own"),
      Self.starts(4, by: 3), Self.reads(4, "inner"), Self.starts(5), Self.mark("other/5"),
      Self.reads(5, "side"), Self.mark("end"),
    ])
    #expect(found.read == ["inner", "own"])
  }

  @Test("are calls that are reported before the start of their process")
  func early() {
    let found = Self.findings(
      [
        Self.reads(1, "runner"), Self.mark("begin"), Self.reads(3, "own"),
        #"3 chdir("d") = 0"#, Self.starts(3), Self.mark("audited/3"), #"3 truncate("x", 0) = 0"#,
        Self.mark("end"),
      ], left: ["d/", "d/x"])
    #expect(found.read == ["own"])
    #expect(found.written == ["d/x"])
  }

  @Test("is what the runner opens during the work, without its other threads")
  func lua() {
    let found = Self.findings(
      [
        Self.reads(1, "before"), "1 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 9",
        Self.mark("begin"), Self.reads(1, "during"), Self.reads(9, "digest"), Self.starts(3),
        Self.reads(3, "by-os-execute"), Self.reads(1, "commands.lua"),
        Self.mark("module/m.lua"), Self.reads(1, "m.lua"), Self.mark("end"), Self.reads(1, "after"),
        Self.starts(4), Self.reads(4, "later"),
      ], definition: ["commands.lua"])
    #expect(found.read == ["by-os-execute", "during"])
  }

  @Test("a file that is written first is no source, and one that is gone no output")
  func order() {
    let found = Self.findings(
      [
        Self.reads(1, "runner"), Self.mark("begin"), Self.starts(2), Self.mark("audited/2"),
        Self.writes(2, "made"), Self.reads(2, "made"), Self.reads(2, "changed"),
        Self.writes(2, "changed"), Self.writes(2, "gone"), Self.reads(2, "gone"),
        Self.writes(2, "made.tmp"), #"2 rename("made.tmp", "moved") = 0"#,
        #"2 mkdir("new", 0777) = 0"#, #"2 rename("new", "dir") = 0"#,
      ], left: ["made", "changed", "moved"])
    #expect(found.read == [])
    #expect(found.written == ["changed", "made", "moved"])
  }

  @Test("files move with the folder that they are in")
  func folders() {
    let found = Self.findings(
      [
        Self.reads(1, "runner"), Self.mark("begin"), Self.starts(2), Self.mark("audited/2"),
        #"2 mkdir("new", 0777) = 0"#, Self.writes(2, "new/a"), #"2 rename("new", "d") = 0"#,
      ], left: ["d/", "d/a"])
    #expect(found.written == ["d/a"])
  }

  @Test("names folders, programs, addresses and what was missed")
  func others() {
    let found = Self.findings([
      Self.reads(1, "runner"), Self.mark("begin"), Self.starts(2), Self.mark("audited/2"),
      #"2 execve("/bin/ls", [...], 0x7f /* 9 vars */) = 0"#,
      "2 getdents64(9</src>, 0x55 /* 32 entries */, 32768) = 848",
      #"2 openat(AT_FDCWD</src>, "nope", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
      #"2 connect(9<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("1.2.3.4")}, 16) = 0"#,
    ]).all
    #expect(found.programs == ["/bin/ls"])
    #expect(found.listed == ["/src"])
    #expect(found.missed == ["/src/nope"])
    let own = Self.findings([
      Self.reads(1, "runner"), Self.mark("begin"),
      #"1 newfstatat(AT_FDCWD<%>, "by-runner", 0x7f, 0) = -1 ENOENT (No such file or directory)"#,
      #"1 openat(AT_FDCWD<%>, "by-lua", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
      Self.starts(2), Self.mark("audited/2"),
      #"2 newfstatat(AT_FDCWD<%>, "temporary", 0x7f, 0) = -1 ENOENT (No such file or directory)"#,
      Self.writes(2, "temporary"), #"2 unlink("temporary") = 0"#, #"2 mkdir("made", 0777) = 0"#,
      #"2 openat(AT_FDCWD<%>, "made/x", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
      #"2 openat(AT_FDCWD<%>, "file/x", O_RDONLY) = -1 ENOTDIR (Not a directory)"#,
      #"2 readlink("no-link", 0x7f, 4095) = -1 EINVAL (Invalid argument)"#,
    ]).all
    #expect(own.missed.map { $0.split(separator: "/").last } == ["by-lua"])
    #expect(found.addresses == ["1.2.3.4:80"])
  }

  @Test("are files that it looks at without reading them, and addresses that it sends to")
  func looks() {
    let found = Self.findings(
      [
        Self.reads(1, "runner"), Self.mark("begin"), Self.starts(2), Self.mark("audited/2"),
        #"1 newfstatat(AT_FDCWD<%>, "ofRunner", {st_mode=S_IFREG|0644, ...}, 0) = 0"#,
        #"2 newfstatat(AT_FDCWD<%>, "flag", {st_mode=S_IFREG|0644, ...}, 0) = 0"#,
        #"2 newfstatat(3<%/other>, "", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0"#,
        #"2 access("gone", R_OK) = -1 ENOENT (No such file or directory)"#,
        #"2 statx(AT_FDCWD<%>, "made", 0, STATX_ALL, {stx_mask=STATX_ALL, ...}) = 0"#,
        Self.writes(2, "made"),
        #"2 sendto(4<socket:[1]>, ""..., 3, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("1.2.3.4")}, 16) = 3"#,
        #"2 sendto(4<socket:[1]>, ""..., 3, 0, NULL, 0) = 3"#,
        #"2 sendmsg(4<socket:[1]>, {msg_name={sa_family=AF_INET6, sin6_port=htons(9), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, msg_namelen=28, msg_iov=[{iov_base=""..., iov_len=3}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 3"#,
      ], left: ["ofRunner", "flag", "other", "made"])
    #expect(found.all.examined.map { $0.path.split(separator: "/").last } == ["flag"])
    #expect(found.written == ["made"])
    #expect(found.all.missed.map { $0.split(separator: "/").last } == ["gone"])
    #expect(found.all.addresses == ["1.2.3.4:53", "[::1]:9"])
  }
}
