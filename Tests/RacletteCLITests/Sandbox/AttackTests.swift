import Platform
import Testing

/// The attack suite: whatever a script tries in the sandbox, it learns no secret, leaves no trace, and
/// ends without a crash. Each attack prints what it saw, so that the run is the list of the results.
@Suite("attacks on the sandbox", .timeLimit(.minutes(5)))
struct AttackTests {
  /// What no attack may learn.
  private static let secrets = [
    "secret-of-the-environment", "secret-of-a-file", "root:x:0", "finalizer ran", "reached\t",
  ]

  @Test("held", arguments: Attack.all)
  func held(_ attack: Attack) async {
    let folder = Folder([
      "inside/plain.lua": "return 'plain module'",
      "outside/secret.txt": "secret-of-a-file\n",
      "outside/secret.lua": "SECRET = 'secret-of-a-file'\n",
    ])
    folder.write(Array("\u{1B}Lua".utf8) + [0x54, 0, 0x19, 0x93], to: "inside/compiled.lua")
    _ = folder.makePipe("inside/fifo.lua")
    _ = folder.makePipe("inside/fifo")
    symlink("/dev/zero", folder["inside/zero.lua"])
    symlink("../outside/secret.lua", folder["inside/link.lua"])
    symlink("../outside", folder["inside/linked"])
    folder.write(attack.code, to: "inside/attack.lua")
    let before = Folder.names(in: folder["inside"])

    let launch = Launch(
      arguments: ["exec", "--sandbox"] + attack.options + ["attack.lua"], folder: folder["inside"],
      environment: [
        "TOKEN": "secret-of-the-environment", "HOME": "/home/secret-of-the-environment",
        "LUA_PATH": "/secret-of-the-environment/?.lua;;",
      ])
    let run = await onThread { Running(launch).finish() }

    let told = run.output + run.errors
    for secret in Self.secrets { #expect(!told.contains(secret), "learned \(secret): \(told)") }
    #expect(Folder.names(in: folder["inside"]) == before, "changed files")
    #expect(run.status < 128, "\(run)")
    if case .failure(let words) = attack.end {
      #expect(run.status != 0)
      #expect(run.errors.contains(words), "\(run.errors)")
    }
    print("sandbox: held against \(attack.name): \(summary(of: run))")
  }

  private func summary(of run: Outcome) -> String {
    let line = (run.errorLines.first ?? run.lines.first ?? "no output").prefix(100)
    return "status \(run.status), \(line)"
  }
}
