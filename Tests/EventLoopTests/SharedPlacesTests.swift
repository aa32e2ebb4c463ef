import Platform
import Testing

@testable import EventLoop

@Suite("places that processes share", .timeLimit(.minutes(5)))
struct SharedPlacesTests {
  @Test("go to those who wait in the order in which they have begun to")
  func order() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let abandoned = "\(folder)/place-deploy-wait-00000000000000000001-7"
    let (order, late, rest) = try await withLoop { loop in
      let users = (0...4).map { _ in
        SharedPlaces("deploy", on: loop, in: UserFolder(folder))
      }
      var order: [Int] = []
      var late: [Bool] = []
      let held = try users[0].take(of: 1)
      // What a killed process has left counts for nothing.
      close(open(abandoned, O_CREAT | O_WRONLY, 0o600))
      for number in 1...4 {
        _ = users[number].take(of: { 1 }, onBusy: {}) { result in
          order.append(number)
          // One who comes now does not pass those who wait.
          late.append((try? users[0].take(of: 2)) != nil)
          if case .success(let place) = result { place.release() }
        }
      }
      loop.timer(after: .milliseconds(1)) { held?.release() }
      loop.run()
      return (order, late, names(inFolder: folder) ?? [])
    }
    #expect(order == [1, 2, 3, 4])
    #expect(late == [false, false, false, true])
    #expect(rest.isEmpty, "\(rest)")
  }

  @Test("pass over one who does not wait any more")
  func left() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let order = try await withLoop { loop in
      let users = (0...3).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      var order: [Int] = []
      let held = try users[0].take(of: 1)
      var ends: [() -> Void] = []
      for number in 1...3 {
        ends.append(
          users[number].take(of: { 1 }, onBusy: {}) { result in
            order.append(number)
            if case .success(let place) = result { place.release() }
          })
      }
      loop.timer(after: .milliseconds(1)) {
        ends[1]()
        held?.release()
      }
      loop.run()
      return order
    }
    #expect(order == [1, 3])
  }

  @Test("are not taken past one who has only just begun to wait")
  func begun() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let (isOvertaken, isFreeAfterwards) = try await withLoop { loop in
      let users = (0...2).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      let held = try users[0].take(of: 1)
      let end = users[1].take(of: { 1 }, onBusy: {}) { _ in }
      // The loop has not gone on: nobody has looked at the places for the one who waits.
      let isOvertaken = try users[2].take(of: 2) != nil
      end()
      let isFreeAfterwards = try users[2].take(of: 2) != nil
      held?.release()
      return (isOvertaken, isFreeAfterwards)
    }
    #expect(!isOvertaken)
    #expect(isFreeAfterwards)
  }

  @Test("pass over one who is stopped")
  func stopped() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let process = StoppedProcess()
    let first = LockFile("\(folder)/place-deploy-wait-00000000000000000001-\(process.id)")
    #expect(try first.lock())
    let (isTaken, isPassed) = try await withLoop { loop in
      let users = (0...1).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      let isTaken = try users[0].take(of: 1) != nil
      process.goOn()
      let isPassed = try users[1].take(of: 1) != nil
      return (isTaken, isPassed)
    }
    #expect(isTaken)
    #expect(!isPassed)
    first.remove()
  }

  @Test("are not looked at again because somebody has read who holds them")
  func reading() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let looks = try await withLoop { loop in
      let users = (0...1).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      let held = try users[0].take(of: 1)
      var looks = 0
      let end = users[1].take(
        of: { 1 },
        onBusy: {
          looks += 1
          #expect(users[1].holders(of: 1).count == 1)
        }
      ) { _ in }
      var turns = 0
      let reader = loop.timer(after: .milliseconds(1), every: .milliseconds(1)) {
        #expect(users[0].holders(of: 1).count == 1)
        turns += 1
        if turns == 50 { loop.stop() }
      }
      loop.run()
      reader.cancel()
      end()
      held?.release()
      return looks
    }
    // Those of the timer alone.
    #expect(looks < 25)
  }

  @Test("share one watch of their folder, which the system grants few of")
  func oneWatch() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    try await withLoop { loop in
      let users = (0...20).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      let held = try users[0].take(of: 1)
      let ends = users[1...].map { $0.take(of: { 1 }, onBusy: {}) { _ in } }
      #expect(loop.folderEvents.count == 1)
      ends.forEach { $0() }
      #expect(loop.folderEvents.isEmpty)
      held?.release()
    }
  }

  @Test("are held although their folder was removed, and asked for once they are there again")
  func removedFolder() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let (isTaken, isTakenAfterwards) = try await withLoop { loop in
      let users = (0...2).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      let held = try users[0].take(of: 1)
      var isWanted = false
      held?.onWanted { isWanted = true }
      var looks = 0
      var isClaimed = false
      var taken: SharedPlace?
      _ = users[1].take(
        of: { 1 },
        onBusy: {
          looks += 1
          if isClaimed { users[1].claimOldest() }
        }
      ) { taken = try? $0.get() }
      while looks == 0 { loop.runOnce() }
      removeFolder(folder)
      while users[2].holders(of: 1).isEmpty { loop.runOnce() }
      let isTaken = taken != nil
      isClaimed = true
      while !isWanted { loop.runOnce() }
      held?.release()
      while taken == nil { loop.runOnce() }
      taken?.release()
      return (isTaken, try users[2].take(of: 1) != nil)
    }
    #expect(!isTaken)
    #expect(isTakenAfterwards)
  }

  @Test(
    "are waited for in the order in which processes have begun to, also after these files are gone")
  func removedLine() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let isOvertaken = try await withLoop { loop in
      let users = (0...2).map { _ in SharedPlaces("deploy", on: loop, in: UserFolder(folder)) }
      let held = try users[0].take(of: 1)
      var looks = 0
      let end = users[1].take(of: { 1 }, onBusy: { looks += 1 }) { _ in }
      while looks == 0 { loop.runOnce() }
      for name in names(inFolder: folder) ?? [] where name.contains("-wait-") {
        unlink("\(folder)/\(name)")
      }
      let before = looks
      while looks == before { loop.runOnce() }
      let isOvertaken = try users[2].take(of: 2) != nil
      end()
      held?.release()
      return isOvertaken
    }
    #expect(!isOvertaken)
  }
}
