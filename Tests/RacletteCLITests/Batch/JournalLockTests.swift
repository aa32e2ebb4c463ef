import CSanitizer
import Platform
import Testing

/// A journal that another program has locked, and one whose file system offers no locks.
@Suite("the locks of a journal", .timeLimit(.minutes(5)))
struct JournalLockTests {
  private static let commands = """
    local rac = require "rac"
    rac.command {name = "hi", run = "echo hi"}
    rac.command {name = "wait", run = "echo waits; until [ -e go ]; do sleep 0.05; done"}
    rac.command {name = "build", sources = "in", outputs = "out", run = "cp in out; echo built"}
    """

  /// Another program that holds the write lock of a journal until its input ends.
  private func holder(of place: BatchFolder) -> Running {
    let holder = Running(
      Launch(
        program: "/usr/bin/sqlite3", arguments: [place.folder["j.db"]], input: .open))
    // The run may be writing.
    holder.send(".timeout 60000\nBEGIN IMMEDIATE; SELECT 'held';\n")
    holder.waitForOutput("held")
    return holder
  }

  private func batch(_ place: BatchFolder, _ options: String...) -> Running {
    Running(
      Launch(
        arguments: ["batch", "plan.jsonl", "--journal", "j.db", "--progress", "never"] + options,
        folder: place.folder.path))
  }

  private func waiting(_ place: BatchFolder) -> String {
    "raclette: waiting for '\(place.folder["j.db"])', which another program holds\n"
  }

  @Test("are waited for, which is said after a second, and the first Ctrl-C ends it")
  func start() async {
    let place = BatchFolder(Self.commands, plan: [#"{"command": "hi"}"#])
    let first = await onThread { batch(place).finish() }
    #expect(first.status == 0 && first.output == "hi\n", "\(first)")
    for isReleased in [true, false] {
      let run = await onThread {
        let holder = holder(of: place)
        let run = batch(place)
        run.waitForErrors(waiting(place))
        if isReleased { holder.endInput() } else { run.get(signal: SIGINT) }
        let end = run.finish()
        holder.endInput()
        _ = holder.finish()
        return end
      }
      if isReleased {
        #expect(run.status == 0 && run.output == "hi\n", "\(run)")
        #expect(run.errors.hasPrefix(waiting(place) + "raclette: 1 entry in "), "\(run)")
      } else {
        #expect(run.status == 130 && run.output == "", "\(run)")
        #expect(run.errors == waiting(place) + "raclette: interrupted\n")
      }
    }
  }

  @Test("are waited for while it runs, and the first Ctrl-C ends it, with what is not recorded")
  func running() async {
    let place = BatchFolder(Self.commands, plan: [#"{"command": "wait"}"#, #"{"command": "hi"}"#])
    let path = place.folder["j.db"]
    let run = await onThread {
      let run = batch(place, "-j1")
      run.waitForOutput("waits")
      let holder = holder(of: place)
      place.folder.write("", to: "go")
      run.waitForErrors(waiting(place))
      run.get(signal: SIGINT)
      let end = run.finish()
      holder.endInput()
      _ = holder.finish()
      return end
    }
    #expect(run.status == 130, "\(run)")
    let held = "raclette: error: the journal '\(path)' is locked by another program\n"
    #expect(run.errors.ranges(of: held).count == 1, "\(run)")
    // What was not recorded is executed again.
    let again = await onThread { batch(place, "--resume", "-j1").finish() }
    #expect(again.status == 0 && again.output == "waits\nhi\n", "\(again)")
  }

  @Test(
    "that a file system does not offer are missed at once, with the way out",
    .enabled(if: access("/usr/bin/cc", X_OK) == 0, "there is no C compiler"),
    .disabled(if: isSanitized(), "a sanitizer takes these calls itself"))
  func none() async {
    let place = BatchFolder(Self.commands, plan: [#"{"command": "hi"}"#])
    place.folder.write("1\n", to: "in")
    place.folder.write(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <stdarg.h>
      static int act(int file, int command, void *argument) {
        switch (command) {
        case F_SETLK: case F_SETLKW: case F_GETLK:
        case F_OFD_SETLK: case F_OFD_SETLKW: case F_OFD_GETLK: errno = ENOLCK; return -1;
        }
        int (*real)(int, int, ...) = dlsym(RTLD_NEXT, "fcntl64");
        return real(file, command, argument);
      }
      #define WRAP(name) int name(int file, int command, ...) { \\
        va_list list; va_start(list, command); void *argument = va_arg(list, void *); \\
        va_end(list); return act(file, command, argument); }
      WRAP(fcntl)
      WRAP(fcntl64)
      """, to: "locks.c")
    let compiled = await shell("cc -shared -fPIC -o locks.so locks.c -ldl", in: place.folder)
    #expect(compiled.status == 0, "\(compiled)")
    func run(_ arguments: String...) async -> Outcome {
      let launch = Launch(
        arguments: arguments, folder: place.folder.path,
        environment: ["LD_PRELOAD": place.folder["locks.so"]])
      return await onThread { Running(launch).finish() }
    }
    // A state is a cache, so its commands are executed.
    let warning =
      "warning: the states of commands in '.raclette/state.db' cannot be used (its file system "
      + "does not support locks); commands are executed whether or not they are up to date\n"
    for _ in 1...2 {
      let built = await run("build")
      #expect(built.status == 0 && built.output == "built\n" && built.errors == warning, "\(built)")
    }
    let list = await run("list")
    #expect(
      list.status == 0 && list.output == "  hi\n  wait\n  build\n" && list.errors == warning,
      "\(list)")
    let status = await run("status", "build")
    #expect(status.status == 1 && status.errors == warning, "\(status)")
    // A journal that is there is not touched, and none is used that cannot be locked.
    let first = await onThread { batch(place).finish() }
    #expect(first.status == 0 && first.output == "hi\n", "\(first)")
    for name in ["j.db", "k.db"] {
      let problem =
        "raclette: error: cannot use the journal '\(place.folder[name])': its file system does not "
        + "support locks; put it on another one, such as a local disk\n"
      for words in [
        ["history"], ["timeline"], ["replay", "1"], ["batch", "plan.jsonl"], ["retry"],
      ] {
        // Only a batch makes one.
        if name == "k.db", words[0] != "batch" { continue }
        let launch = Launch(
          arguments: words + ["--journal", name], folder: place.folder.path,
          environment: ["LD_PRELOAD": place.folder["locks.so"]])
        let refused = await onThread { Running(launch).finish() }
        #expect(refused.status == 1 && refused.output == "", "\(words)")
        #expect(refused.errors == problem, "\(words)")
      }
    }
    let history = await onThread {
      Running(
        Launch(arguments: ["history", "--journal", "j.db"], folder: place.folder.path)
      ).finish()
    }
    #expect(history.lines.count == 1 && history.output.hasSuffix(" hi\n"), "\(history)")
  }
}
