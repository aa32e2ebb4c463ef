import CPowerLoss
import Platform
import Testing

@testable import Journal

/// The power fails: what was not synced is gone. Serialized, as the file system is one for all.
@Suite(.serialized) struct PowerLossTests {
  init() {
    power_loss_register()
    power_loss_fail_after(-1)
    power_loss_fill_disk(0)
  }

  /// The machine goes off after each of the first syncs in turn, checkpoints among them; what the
  /// journal had acknowledged is there afterwards, and nothing is half there.
  @Test func whatWasAcknowledgedSurvivesAPowerFailureAtAnySync() throws {
    for moment in Array(1..<40) + Array(stride(from: 40, to: 300, by: 21)) {
      let place = Place()
      power_loss_fail_after(-1)
      var journal: Journal? = try place.open(fileSystem: "power-loss")
      try journal?.begin()
      power_loss_fail_after(Int32(moment))
      let start = power_loss_syncs()
      var acknowledged: [Int64] = []
      var count = 0
      while power_loss_syncs() - start < moment {
        let claims = try #require(journal).commit(
          claims: (0..<40).map { entry("\(count) \($0)") })
        let executions = claims.compactMap { claim in
          if case .granted(let execution) = claim { execution } else { nil }
        }
        try journal?.commit(
          ends: executions.map {
            ExecutionEnd(
              execution: $0, state: .completed, started: 1, duration: 1,
              output: [
                RecordedLine(
                  time: 0, stream: .output, bytes: [UInt8](repeating: 7, count: 500))
              ])
          })
        // The machine was on when it returned.
        if power_loss_syncs() - start < moment { acknowledged += executions }
        count += 1
      }
      // The disk as it is now; the program that had it open is gone.
      power_loss_fail_after(0)
      let disk = Place()
      copy(place.journal, disk.journal)
      copy(place.journal + "-wal", disk.journal + "-wal")
      journal = nil

      let after = try disk.open()
      let found = try after.executions()
      let completed = found.filter { $0.state == .completed }.map(\.id)
      #expect(completed.starts(with: acknowledged), "after \(moment) syncs")
      // A commit of ends is there whole or not at all.
      #expect(completed.count % 40 == 0, "after \(moment) syncs")
    }
  }

  @Test func aFullDiskIsToldAndLosesNothing() throws {
    let place = Place()
    let journal = try place.open(fileSystem: "power-loss")
    try journal.begin()
    let first = try journal.start("a")
    power_loss_fill_disk(1)
    #expect(throws: JournalError.full(place.journal)) { try journal.end(first) }
    power_loss_fill_disk(0)
    try journal.end(first)
    #expect(try journal.executions().map(\.state) == [.completed])
  }

  private func copy(_ from: String, _ to: String) {
    guard let source = fopen(from, "re") else { return }
    defer { fclose(source) }
    guard let target = fopen(to, "we") else { return }
    defer { fclose(target) }
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&space, 1, space.count, source)
      if count == 0 { break }
      fwrite(space, 1, count, target)
    }
  }
}
