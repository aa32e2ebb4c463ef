import Platform
import Testing
import TextFiles

/// Limits of the system that many processes reach.
@Suite(.timeLimit(.minutes(5))) struct OpenFileTests {
  @Test("the soft limit of open files is raised, but not for children")
  func softLimit() async {
    let run = await shell(
      """
      ulimit -Sn 300; ulimit -Hn 5000
      raclette exec -e 'rac.sh("ulimit -Sn; ulimit -Hn"):subscribe(print)
        for line in io.lines("/proc/self/limits") do print(line:match("open files +(%d+ +%d+)")) end' |
        grep -v nil | tr -s " " | sort
      """, in: Folder())
    #expect(run.output == "300\n5000\n5000 5000\n", "\(run)")
  }

  @Test("with too few descriptors, processes wait for others instead of failing")
  func descriptors() async {
    let place = BatchFolder(
      "rac.command{name = 's', concurrency = 'unlimited', run = 'sleep 0.1'}",
      plan: Array(repeating: #"{"command": "s"}"#, count: 120))
    let run = await shell(
      "ulimit -n 64; raclette batch plan.jsonl -j 120 --progress never", in: place.folder)
    #expect(run.status == 0 && run.errors.contains("120 completed"), "\(run)")
  }

  /// Only the superuser can become a user who has no other process.
  @Test("with too few processes for the user, they wait for others", .enabled(if: geteuid() == 0))
  func processes() async {
    let folder = Folder(
      commands: "rac.command{name = 's', concurrency = 'unlimited', run = {'sleep', '0.1'}}")
    folder.write(String(repeating: "{\"command\": \"s\"}\n", count: 60), to: "plan.jsonl")
    let run = await shell(
      """
      chmod -R a+rwX .; cp "$(command -v raclette)" "$(pwd)/copy"; chmod a+rx copy
      setpriv --reuid 54321 --regid 54321 --clear-groups prlimit --nproc=20 \
        env HOME="$(pwd)" ./copy batch plan.jsonl -j 60 --progress never
      """, in: folder)
    #expect(run.status == 0 && run.errors.contains("60 completed"), "\(run)")
  }

  @Test("a limit of a file's size is an error with a text")
  func fileSize() async {
    let folder = Folder(
      commands: "rac.command{name = 'up', sources = 'commands.lua', run = 'echo made'}")
    let run = await shell("ulimit -f 1; raclette up", in: folder)
    #expect(run.output == "made\n" && run.status == 0, "\(run)")
    #expect(run.errors.contains("executed whether or not they are up to date"), "\(run)")
  }
}
