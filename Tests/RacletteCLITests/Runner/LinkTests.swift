import Platform
import Testing

/// Files that are reached through symbolic links.
@Suite(.timeLimit(.minutes(5))) struct LinkTests {
  /// A folder as Kubernetes mounts a ConfigMap: `key` leads through `..data`, which is replaced.
  private func mounted() -> Folder {
    let folder = Folder(["config/..1/key": "one\n", "config/..2/key": "two\n"])
    symlink("..1", folder["config/..data"])
    symlink("..data/key", folder["config/key"])
    return folder
  }

  private func swap(_ folder: Folder) {
    symlink("..2", folder["config/..tmp"])
    _ = rename(folder["config/..tmp"], folder["config/..data"])
  }

  @Test("rac.watch sees the swap of a ConfigMap", arguments: ["config/key", "config"])
  func swapped(_ path: String) async {
    let folder = mounted()
    let launch = Launch(
      arguments: [
        "exec", "-e",
        """
        rac.watch("\(path)"):filter(function(c) return c.path == "config/key" end):take(1)
          :subscribe(function(c) print(c.kind, io.lines(c.path)()) end)
        rac.log.warn("ready")
        """,
      ], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("ready")
      swap(folder)
      return running.finish()
    }
    #expect(run.output == "changed\ttwo\n" && run.status == 0, "\(run)")
  }

  @Test(
    "--watch sees a change behind a link", arguments: ["--watch=link", "--watch=own/*"])
  func behind(_ option: String) async {
    let folder = Folder([
      "commands.lua": "rac.command{name = 'show', run = 'cat target/file'}", "target/file": "one\n",
    ])
    symlink("target/file", folder["link"])
    folder.makeFolder("own")
    symlink("../target/file", folder["own/link"])
    let run = await onThread { [folder] in
      let running = Running(
        Launch(arguments: ["run", option, "show"], folder: folder.path))
      running.waitForOutputLines(1)
      running.waitForErrors("done; watching")
      folder.write("two\n", to: "target/file")
      running.waitForOutputLines(2)
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.output == "one\ntwo\n", "\(run)")
  }

  @Test("rac.file_exists follows a dangling link until its target is there")
  func dangling() async {
    let folder = Folder()
    symlink("far/away/target", folder["link"])
    let launch = Launch(
      arguments: [
        "exec", "-e", #"rac.file_exists("link"):take(3):subscribe(print)"#,
      ], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutputLines(1)
      folder.write("", to: "far/away/target")
      running.waitForOutputLines(2)
      folder.remove("far/away/target")
      return running.finish()
    }
    #expect(run.output == "false\ntrue\nfalse\n" && run.status == 0, "\(run)")
  }
}
