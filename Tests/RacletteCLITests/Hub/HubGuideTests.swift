import Testing

/// The page of the guide about the hub.
@Suite("the hub's page of the guide", .timeLimit(.minutes(5)))
struct HubGuideTests {
  @Test("does what it shows")
  func samples() async throws {
    try await executeSamples(ofPage: "Sources/RacletteCLI/RacletteCLI.docc/TheHub")
  }
}
