import Platform
import Testing

@testable import Journal

@Suite struct StateFileTests {
  private func withFile(_ body: (String) throws -> Void) rethrows {
    let path = "/tmp/raclette-state-\(getpid())-\(UInt64.random(in: 0 ... .max)).db"
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    try body(path)
  }

  @Test("what is finished is kept, also for other connections") func kept() throws {
    try withFile { path in
      let file = try StateFile(path, isCreated: true)
      #expect(try file.entry(of: [1]) == nil)
      let token = try file.begin([1], reason: "begun")
      #expect(try file.entry(of: [1])?.record == nil)
      try file.finish([1], token, [1, 2, 3])
      let other = try StateFile(path, isCreated: false)
      #expect(try other.entry(of: [1])?.record == [1, 2, 3])
      try other.refresh([1], token, [4])
      #expect(try file.entry(of: [1])?.record == [4])
      _ = try file.begin([1], reason: "begun")
      try other.refresh([1], token, [5])
      #expect(try file.entry(of: [1])?.record == nil)
    }
  }

  @Test("executions that overlap keep nothing, whichever ends last") func overlap() throws {
    try withFile { path in
      let file = try StateFile(path, isCreated: true)
      let first = try file.begin([1], reason: "begun")
      let second = try file.begin([1], reason: "begun")
      try file.finish([1], second, [2])
      #expect(try file.entry(of: [1])?.record == [2])
      try file.finish([1], first, [1])
      #expect(try file.entry(of: [1])?.record == nil)
      #expect(
        try file.entry(of: [1])?.reason
          == "two executions took place at the same time, so neither was kept")
    }
  }

  @Test("what is known meanwhile stays until the end, and is replaced only by the same execution")
  func begun() throws {
    try withFile { path in
      let file = try StateFile(path, isCreated: true)
      let token = try file.begin([1], [7], reason: "begun")
      #expect(try file.entry(of: [1])?.record == [7])
      #expect(try file.entry(of: [1])?.reason == "begun")
      try file.finish([1], token, [8], reason: "failed")
      try file.refresh([1], token, [9])
      #expect(try file.entry(of: [1])?.record == [9])
      #expect(try file.entry(of: [1])?.reason == "failed")
      _ = try file.begin([1], [10], reason: "begun")
      try file.refresh([1], token, [11])
      #expect(try file.entry(of: [1])?.record == [10])
    }
  }

  @Test("a reason is kept in place of a record") func reason() throws {
    try withFile { path in
      let file = try StateFile(path, isCreated: true)
      try file.finish([1], file.begin([1], reason: "begun"), nil, reason: "because")
      let entry = try #require(try file.entry(of: [1]))
      #expect(entry.record == nil)
      #expect(entry.reason == "because")
    }
  }

  @Test("what was not used for long goes, and the most that is kept is what was used last")
  func pruned() throws {
    try withFile { path in
      let now = WallClock.seconds
      let file = try StateFile(path, isCreated: true)
      for key: UInt8 in 1...5 {
        try file.finish([key], file.begin([key], reason: "begun"), [key])
        try file.touch([key], at: now - Double(key))
      }
      try file.touch([1], at: now - StateFile.lifetime - 60)
      try file.touch([2], at: now - StateFile.lifetime + 60)
      func keys(_ file: StateFile) throws -> [UInt8] {
        try (1...5).filter { try file.entry(of: [$0]) != nil }
      }
      try file.prune(capacity: 3)
      #expect(try keys(file) == [3, 4, 5])
      try file.touch([3], at: now - StateFile.lifetime - 60)
      // The first execution of another program.
      let other = try StateFile(path, isCreated: false)
      _ = try other.begin([9], reason: "begun")
      #expect(try keys(other) == [4, 5])
    }
  }

  @Test("a journal is no state, and another file is not set aside") func foreign() throws {
    try withFile { path in
      _ = try Journal(path, isCreated: true)
      #expect(throws: JournalError.self) { try StateFile(path, isCreated: true) }
      let inode = try #require(StateFile.inode(path))
      #expect(StateFile.setAside(path, inode: inode + 1))
      #expect(StateFile.inode(path) == inode)
      #expect(StateFile.setAside(path, inode: inode))
      #expect(StateFile.inode(path) == nil)
      #expect(StateFile.inode(path + ".damaged") == inode)
    }
  }
}
