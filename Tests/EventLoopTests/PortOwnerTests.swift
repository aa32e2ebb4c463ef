import Testing

@testable import EventLoop

@Suite("The owner of a port") struct PortOwnerTests {
  private func owner(_ holds: [Int32: Bool]) -> PortOwner {
    PortOwner.owner([1, 2], [3, 4]) { holds[$0] }
  }

  @Test func isAProcessOfTheServiceBeforeAllOthers() {
    #expect(owner([1: false, 2: true, 3: true, 4: false]) == .own)
    #expect(owner([2: true, 3: false]) == .own)
  }

  @Test func isAnotherProcessIfNoneOfTheServiceIs() {
    let found = owner([1: false, 2: false, 3: false, 4: true])
    guard case .other(4?, _) = found else { Issue.record("\(found)"); return }
  }

  @Test func isNotKnownIfTheServiceHasAProcessThatMayNotBeLookedAt() {
    #expect(owner([1: false, 3: false, 4: false]) == .unknown)
    // Another one is found all the same.
    let found = owner([1: false, 3: true])
    guard case .other(3?, _) = found else { Issue.record("\(found)"); return }
  }

  @Test func isAProcessOfAnotherUserIfAllOfTheServiceMayBeLookedAt() {
    #expect(owner([1: false, 2: false]) == .other(pid: nil, name: nil))
  }
}
