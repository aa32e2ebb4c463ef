import Platform
import Testing

/// One budget of jobs over Raclette, make and what they start.
@Suite("--jobs over all that is started", .timeLimit(.minutes(5)))
struct JobBudgetTests {
  private let folder: Folder
  private let leaves: Leaves

  init() async {
    folder = Folder(
      commands: """
        for i = 1, 4 do
          rac.command{name = "make" .. i, run = "make -s -f leaves.mk all" .. i}
          rac.command{name = "leaf" .. i, run = "./leaf"}
        end
        rac.command{name = "makes", needs = {"make1", "make2", "make3", "make4"}, run = "true"}
        rac.command{name = "leaves", needs = {"leaf1", "leaf2", "leaf3", "leaf4"}, run = "true"}
        rac.command{name = "nested", run = "raclette leaves"}
        rac.command{name = "mixed", needs = {"makes", "nested"}, run = "true"}
        rac.command{name = "inner", run = function()
          local inner = {}
          for i = 1, 4 do inner[i] = rac.commands["leaf" .. i]:execute() end
          for i = 1, 4 do inner[i]:wait() end
        end}
        rac.command{name = "waits", run = function()
          rac.sh("until [ -e inside ]; do sleep 0.01; done"):subscribe()
          rac.commands.leaf1:execute():wait()
          rac.sh("touch inside"):wait()
        end}
        rac.command{name = "again", retry = {times = 3, delay = 0.01}, run = "./leaf; exit 1"}
        rac.command{name = "later", retry = {times = 1, delay = 1000}, run = "exit 1"}
        rac.command{name = "outside", jobserver = false,
          run = "touch outside; until [ -e within ]; do sleep 0.01; done"}
        rac.command{name = "within", run = "touch within; until [ -e outside ]; do sleep 0.01; done"}
        rac.command{name = "give", run = {"bash", "-c", "printf ++++ >&${MAKEFLAGS##*,}"}}
        rac.command{name = "given", run = "raclette give; ./dropped; make -s -f leaves.mk all1"}
        rac.command{name = "alone", jobserver = false, run = "echo $MAKEFLAGS$RACLETTE_JOBSERVER"}
        rac.command{name = "talk", interactive = true, run = "make -s -f leaves.mk all1"}
        rac.command{name = "flags", run = "echo $MAKEFLAGS"}
        rac.command{name = "named", jobserver = "fifo", run = [[
          path=${MAKEFLAGS##*fifo:}; test -p "$path" && echo "${MAKEFLAGS%$path}"
        ]]}
        """)
    leaves = await Leaves(in: folder)
    var rules = ""
    for number in 1...4 {
      rules += "all\(number): \((1...4).map { "t\(number).\($0)" }.joined(separator: " "))\n"
    }
    folder.write(rules + "t%:\n\t@./leaf\n", to: "leaves.mk")
    folder.write(
      "both: one two\none:\n\t+raclette leaves\ntwo:\n\t+raclette makes\n", to: "top.mk")
  }

  @Test(
    "holds for make, Raclette and what both start",
    arguments: [1, 2, 3], ["raclette -j% makes", "raclette -j% mixed", "make -s -j% -f top.mk"])
  func mixed(jobs: Int, line: String) async {
    // `make -j1` begins no job server.
    guard jobs > 1 || line.hasPrefix("raclette") else { return }
    let parts = line.split(separator: "%").joined(separator: "\(jobs)")
    let run = await shell(parts, in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == (line.contains("makes") ? 16 : 20))
    #expect(leaves.mostAtOnce <= jobs)
  }

  @Test("holds for executions that a function begins, and lets them run while it has a process")
  func inner() async {
    let run = await shell("raclette -j2 inner && raclette -j1 waits", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 5)
    #expect(leaves.mostAtOnce <= 2)
  }

  @Test("is not larger after something has written back what it had not read")
  func surplus() async {
    folder.write(
      """
      #!/usr/bin/env python3
      import array, fcntl, os, termios, time
      reading = int(os.environ["MAKEFLAGS"].split("=")[-1].split(",")[0])
      count = array.array("i", [9])
      while count[0] > 1:
          fcntl.ioctl(reading, termios.FIONREAD, count)
          time.sleep(0.01)
      """, to: "dropped")
    chmod(folder["dropped"], 0o755)
    let run = await shell("timeout 60 raclette -j2 given", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 4)
    #expect(leaves.mostAtOnce <= 2)
  }

  @Test("has a job more during the delay of a retry, and holds for the next attempt")
  func retries() async {
    let run = await onThread {
      let running = Running(
        Launch(arguments: ["-q", "-k", "-j1", "later", ":::", "flags"], folder: folder.path))
      running.waitForOutput("--jobserver-auth")
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.output.contains("--jobserver-auth"), "\(run)")
    let again = await shell("raclette -q -k -j1 again ::: leaf1 ::: leaf2 ::: leaf3", in: folder)
    #expect(again.status == 1, "\(again)")
    #expect(leaves.count == 7)
    #expect(leaves.mostAtOnce == 1)
  }

  @Test("does not count a command with jobserver = false, which waits for no other")
  func outside() async {
    let run = await shell("timeout 60 raclette -j1 within ::: leaf1 ::: outside", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 1)
  }

  @Test("holds for what owns the terminal")
  func interactive() async {
    let run = await shell("raclette -q -j2 talk ::: leaf1 ::: leaf2 ::: leaf3", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 7)
    #expect(leaves.mostAtOnce == 2)
  }

  @Test("is not waited for by what has the terminal meanwhile")
  func interactiveInside() async {
    let folder = Folder(
      commands: """
        for _, name in ipairs{"lent", "own"} do
          rac.command{name = name, run = "touch " .. name .. "; exec sleep 1000"}
        end
        local function await(name)
          rac.file_exists(name):filter(function(is) return is end):first()
        end
        rac.command{name = "ask", interactive = true, run = {"echo", "asked"}}
        rac.command{name = "first", run = function()
          local process = rac.exec{"sleep", "1000"}:subscribe()
          local lent, own = rac.commands.lent:execute(), rac.commands.own:execute()
          await "lent"
          await "own"
          lent:cancel()
          await "wanted"
          rac.commands.ask:execute():wait()
          own:cancel()
          process:dispose()
        end}
        rac.command{name = "last", interactive = true, run = function()
          await "own"
          local process = rac.exec{"echo", "last"}
          io.open("wanted", "w"):close()
          process:wait()
        end}
        """)
    let run = await shell("raclette -q -j2 first ::: last", in: folder)
    #expect(run.status == 0 && run.output == "asked\nlast\n", "\(run)")
  }

  @Test("is not spoken of where nothing is executed")
  func looking() async {
    let run = await shell("MAKEFLAGS='-j4 --jobserver-auth=77,78' raclette list", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
  }

  @Test("is not there for a command with jobserver = false")
  func alone() async {
    let run = await shell(
      "MAKEFLAGS=k raclette -j3 alone; MAKEFLAGS=k raclette -j3 flags; raclette flags", in: folder)
    #expect(run.lines.count == 2, "\(run)")
    #expect(run.lines.first == "k")
    #expect(run.lines.last?.hasPrefix("k -j3 --jobserver-auth=1") == true, "\(run)")
  }

  @Test("is a named pipe for a command with jobserver = \"fifo\"")
  func named() async {
    let run = await shell("MAKEFLAGS=k raclette -j3 named; raclette named", in: folder)
    #expect(run.lines == ["k -j3 --jobserver-auth=fifo:"], "\(run)")
  }

  @Test("is one job where it cannot be the caller's, which is told", arguments: ["77,78", "-2,-2"])
  func apart(ends: String) async {
    let flags = "MAKEFLAGS='-j4 --jobserver-auth=\(ends)'"
    let lost = await shell("\(flags) raclette leaves", in: folder)
    #expect(lost.status == 0)
    #expect(
      lost.errors
        == "raclette: the job server in MAKEFLAGS cannot be used, so one job runs at a time; --jobs "
        + "sets another number\n")
    #expect(leaves.count == 4)
    #expect(leaves.mostAtOnce == 1)
    let line = await shell("MAKELEVEL=1 \(flags) raclette flags", in: folder)
    #expect(line.output.hasPrefix("-j1 --jobserver-auth=1"), "\(line)")
    #expect(
      line.errors
        == "raclette: make's job server cannot be used, so one job runs at a time; in the makefile, "
        + "begin the line with '+'\n")
    let own = await shell("\(flags) raclette -j2 flags", in: folder)
    #expect(own.status == 0)
    #expect(
      own.errors
        == "raclette: --jobs 2 sets a separate budget: the caller's job server is not used\n")
  }

  @Test(
    "is one job under a line of a makefile without '+'",
    arguments: ["make", "make-4.4"].filter { JobServerProgramTests.path(of: $0) != nil })
  func withoutPlus(make: String) async throws {
    let path = try #require(JobServerProgramTests.path(of: make))
    folder.makeFolder(".bin")
    symlink(path, folder[".bin/\(make)"])
    folder.write(
      "all: one two three\none two three:\n\t@raclette -q leaves\n", to: "lines.mk")
    let kind = make == "make" ? "" : "--jobserver-style=pipe "
    let run = await shell("\(make) -s \(kind)-j3 -f lines.mk", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 12)
    #expect(leaves.mostAtOnce <= 3)
  }

  @Test("holds through a program that closes what it has inherited")
  func closed() async {
    folder.write(
      """
      #!/usr/bin/env python3
      import subprocess, sys
      sys.exit(subprocess.run(sys.argv[1:]).returncode)
      """, to: "closing")
    chmod(folder["closing"], 0o755)
    folder.write(
      """
      for i = 1, 4 do rac.command{name = "leaf" .. i, run = "./leaf"} end
      rac.command{name = "leaves", needs = {"leaf1", "leaf2", "leaf3", "leaf4"}, run = "true"}
      rac.command{name = "a", run = "./closing raclette -f closed.lua leaves"}
      rac.command{name = "b", run = "./closing raclette -f closed.lua makes"}
      rac.command{name = "c", run = "./closing env -u MAKEFLAGS raclette -f closed.lua leaves"}
      rac.command{name = "makes", run = "make -s -f leaves.mk all1"}
      """, to: "closed.lua")
    let run = await shell("raclette -f closed.lua -j2 a ::: b ::: c", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 12)
    #expect(leaves.mostAtOnce == 2)
  }

  @Test("has room for any number of jobs", arguments: [65_535, 65_536, 70_000, 100_000])
  func room(jobs: Int) async {
    let run = await shell("raclette -q -j \(jobs) make1 ::: make2", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(leaves.count == 8)
  }

  @Test("is whole again after what took part was killed")
  func killed() async {
    folder.write(
      """
      rac.command{name = "doomed", run = function()
        rac.sh("make -s -f leaves.mk all1 & sleep 0.08; kill -9 0"):catch_to(rac.empty()):wait()
      end}
      for i = 1, 4 do rac.command{name = "leaf" .. i, run = "./leaf"} end
      rac.command{name = "after", steps = {{command = "doomed"}, {command = "rest"}}}
      rac.command{name = "rest", needs = {"leaf1", "leaf2", "leaf3", "leaf4"}, run = "true"}
      """, to: "killed.lua")
    for _ in 0..<5 {
      let run = await shell("raclette -f killed.lua -j3 after", in: folder)
      #expect(run.status == 0, "\(run)")
      #expect(leaves.mostAtOnce <= 3)
    }
  }
  @Test("is whole again while others run, after a nested run was killed with a token")
  func killedAmongOthers() async {
    folder.write(
      """
      local function wait(...)
        local files = {...}
        for i, file in ipairs(files) do files[i] = "until [ -e " .. file .. " ]; do sleep 0.01; done" end
        return table.concat(files, "; ")
      end
      rac.command{name = "inner1", run = "touch held1; " .. wait("full")}
      rac.command{name = "inner2", run = "touch held2; " .. wait("full")}
      rac.command{name = "inner", needs = {"inner1", "inner2"}, run = "true"}
      rac.command{name = "nested", run = function()
        rac.sh("raclette -f lost.lua inner & " .. wait("held1", "held2") .. "; kill -9 $!; wait $!")
          :catch_to(rac.empty()):wait()
      end}
      rac.command{name = "second", run = wait("run1")}
      for i = 1, 3 do
        rac.command{name = "one" .. i, needs = {"nested"},
          run = "touch run" .. i .. "; " .. wait("run1", "run2", "run3") .. "; touch full"}
      end
      """, to: "lost.lua")
    // Without the lost token, the third one would wait for the others, which wait for it.
    let run = await shell(
      "timeout 60 raclette -f lost.lua -j3 second ::: one1 ::: one2 ::: one3", in: folder)
    #expect(run.status == 0, "\(run)")
  }
}
