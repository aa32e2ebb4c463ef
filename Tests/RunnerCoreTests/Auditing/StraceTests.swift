import Testing

@testable import RunnerCore

@Suite("what strace writes")
struct StraceTests {
  private static let folder = "AT_FDCWD</tmp/p>"

  /// Lines that strace 6.1 has written, and what each says.
  static let lines: [(line: String, event: TracedEvent?)] = [
    (
      #"7 execve("./t", [...], 0x7fffe42cd348 /* 39 vars */) = 0"#,
      .executed(TracedPath("./t"))
    ),
    (#"7 execve("/root/bin/bash", [...], 0x7fff /* 39 vars */) = -1 ENOENT (No such file)"#, nil),
    (#"7 mkdir("d", 0777)                  = 0"#, .madeFolder(TracedPath("d"))),
    (#"7 mkdirat(AT_FDCWD</tmp/p>, "d", 0777) = 0"#, .madeFolder(TracedPath("d", in: "/tmp/p"))),
    (#"7 chdir("..")                       = 0"#, .entered(TracedPath(".."))),
    (#"7 fchdir(5</tmp/p/d>)               = 0"#, .entered(TracedPath("/tmp/p/d"))),
    (
      #"7 creat("x", 0666)                  = 3</tmp/p/d/x>"#,
      .opened(TracedPath("x"), real: "/tmp/p/d/x", reads: false, writes: true)
    ),
    (
      #"7 rename("x", "y\n<z>")             = 0"#,
      .renamed(TracedPath("x"), to: TracedPath("y\n<z>"))
    ),
    (
      #"7 renameat2(AT_FDCWD</tmp/p>, "a", 4</tmp/q>, "b", RENAME_NOREPLACE) = 0"#,
      .renamed(TracedPath("a", in: "/tmp/p"), to: TracedPath("b", in: "/tmp/q"))
    ),
    (
      #"7 openat(AT_FDCWD</tmp/p/d>, "../\303\244", O_WRONLY|O_CREAT, 0666) = 4</tmp/p/\303\244>"#,
      .opened(TracedPath("../ä", in: "/tmp/p/d"), real: "/tmp/p/ä", reads: false, writes: true)
    ),
    (
      #"7 openat(AT_FDCWD</tmp/p>, "in, \"a\" (b).txt", O_RDONLY) = 5</tmp/p/in, "a" (b).txt>"#,
      .opened(
        TracedPath(#"in, "a" (b).txt"#, in: "/tmp/p"), real: #"/tmp/p/in, "a" (b).txt"#,
        reads: true, writes: false)
    ),
    (
      #"7 openat(AT_FDCWD</tmp/p>, "db", O_RDWR|O_CLOEXEC) = 6</tmp/p/db>"#,
      .opened(TracedPath("db", in: "/tmp/p"), real: "/tmp/p/db", reads: true, writes: true)
    ),
    (
      #"7 openat(AT_FDCWD</tmp/p>, "db", O_RDWR|O_CREAT, 0666) = 6</tmp/p/db>"#,
      .opened(TracedPath("db", in: "/tmp/p"), real: "/tmp/p/db", reads: false, writes: true)
    ),
    (
      #"7 openat2(3</tmp/p>, "a", {flags=O_RDONLY|O_CLOEXEC, resolve=RESOLVE_BENEATH}, 24) = 4</tmp/p/a>"#,
      .opened(TracedPath("a", in: "/tmp/p"), real: "/tmp/p/a", reads: true, writes: false)
    ),
    (#"7 openat(AT_FDCWD</tmp/p>, "x", O_RDONLY) = 4</tmp/p/x>(deleted)"#, nil),
    (#"7 openat(AT_FDCWD</tmp/p>, ".", O_RDONLY|O_DIRECTORY) = 8</tmp/p>"#, nil),
    (#"7 openat(AT_FDCWD</tmp/p>, "x", O_RDONLY|O_PATH) = 8</tmp/p/x>"#, nil),
    (
      #"7 openat(AT_FDCWD</tmp/p>, "nope", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)"#,
      .missed(TracedPath("nope", in: "/tmp/p"))
    ),
    (#"7 openat(AT_FDCWD</tmp/p>, "x", O_RDONLY) = -1 EACCES (Permission denied)"#, nil),
    (#"7 openat(AT_FDCWD</tmp/p>, "x", O_RDONLY) = ?"#, nil),
    (#"7 unlinkat(AT_FDCWD</tmp/p>, "x", 0) = 0"#, .removed(TracedPath("x", in: "/tmp/p"))),
    (#"7 rmdir("d")                        = 0"#, .removed(TracedPath("d"))),
    (
      #"7 linkat(AT_FDCWD</tmp/p>, "a", AT_FDCWD</tmp/p>, "b", 0) = 0"#,
      .made(TracedPath("b", in: "/tmp/p"))
    ),
    (
      #"7 symlinkat("a", AT_FDCWD</tmp/p>, "b") = 0"#, .made(TracedPath("b", in: "/tmp/p"))
    ),
    (
      #"7 getdents64(9</tmp/p>, 0x555c8e22b260 /* 32 entries */, 32768) = 848"#,
      .listed("/tmp/p")
    ),
    ("7 vfork()                           = 9", .began(9, isThread: false)),
    (
      "7 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7fc5) = 9",
      .began(9, isThread: false)
    ),
    (
      "7 clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0, stack_size=0x800300} => "
        + "{parent_tid=[20631]}, 88) = 20631",
      .began(20631, isThread: true)
    ),
    (
      #"7 connect(9<socket:[14303832]>, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 ECONNREFUSED (Connection refused)"#,
      .connected("127.0.0.1:9")
    ),
    (
      #"7 connect(9<socket:[1]>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0"#,
      .connected("[::1]:80")
    ),
    (
      #"7 connect(9<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/x.sock"}, 110) = 0"#,
      .connected("/run/x.sock")
    ),
    (
      #"7 connect(9<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/nscd"}, 110) = -1 ENOENT (No such file or directory)"#,
      nil
    ),
    ("7 +++ exited with 3 +++", nil),
    ("7 --- SIGCHLD {si_signo=SIGCHLD} ---", nil),
    ("strace: Process 9 attached", nil),
    (#"7 openat(AT_FDCWD</tmp/p>, "never closed"#, nil),
  ]

  @Test("is understood line by line", arguments: lines.indices)
  func line(_ index: Int) {
    let (line, expected) = Self.lines[index]
    var events: [TracedEvent] = []
    var reader = StraceReader()
    reader.read((line + "\n").utf8) { process, event in
      #expect(process == 7)
      events.append(event)
    }
    #expect(events == (expected.map { [$0] } ?? []), "\(line)")
  }

  @Test("is understood in any pieces, and where calls of several processes mix")
  func pieces() {
    let text = """
      7 vfork( <unfinished ...>
      8 execve("/bin/echo", [...], 0x7f /* 39 vars */ <unfinished ...>
      7 <... vfork resumed>)              = 8
      8 <... execve resumed>)             = 0
      7 openat(AT_FDCWD</p>, "a", O_RDONLY <unfinished ...>
      8 <... read resumed>) = 0
      7 <... openat resumed>)             = 3</p/a>

      """
    for size in 1...text.utf8.count {
      var events: [TracedEvent] = []
      var processes: [Int32] = []
      var reader = StraceReader()
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        reader.read(rest.prefix(size)) {
          processes.append($0)
          events.append($1)
        }
        rest = rest.dropFirst(size)
      }
      #expect(processes == [7, 8, 7])
      #expect(
        events == [
          .began(8, isThread: false), .executed(TracedPath("/bin/echo")),
          .opened(TracedPath("a", in: "/p"), real: "/p/a", reads: true, writes: false),
        ])
    }
  }

  @Test("keeps bytes that are no text")
  func bytes() {
    let call = StraceCall(ArraySlice(#"unlink("\377\1\0012\\n\"")     = 0"#.utf8))
    #expect(call?.text(0)?.exactBytes == [255, 1, 1, 50, 92, 110, 34])
  }
}
