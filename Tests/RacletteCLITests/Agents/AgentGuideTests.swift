import Testing

/// The page of the guide about agents.
@Suite("the agents' page of the guide", .timeLimit(.minutes(5)))
struct AgentGuideTests {
  @Test("does what it shows")
  func samples() async throws {
    try await executeSamples(ofPage: "Sources/RacletteCLI/RacletteCLI.docc/Agents")
  }
}
