import Testing

@testable import RunnerCore

@Suite("where traces are sent")
struct TraceTargetTests {
  private func target(
    _ option: String?, _ variables: [String: String] = [:]
  ) throws(UsageError) -> TraceTarget? {
    try TraceTarget(option: option) { variables["OTEL_\($0.dropFirst(5))"] }
  }

  @Test("is the address with the path of traces, the option before the variables")
  func address() throws {
    let path = "http://127.0.0.1:4318/v1/traces"
    #expect(try target("http://127.0.0.1:4318")?.url == path)
    #expect(try target("http://127.0.0.1:4318/")?.url == path)
    #expect(try target(path)?.url == path)
    #expect(
      try target("https://otel.example/in")?.url == "https://otel.example/in/v1/traces")
    let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]
    #expect(try target(nil, variables)?.url == "http://collector:4318/v1/traces")
    #expect(try target("http://127.0.0.1:4318", variables)?.url == path)
  }

  @Test("is exactly what the variable for traces says")
  func exact() throws {
    let variables = [
      "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://traces:9/in",
    ]
    #expect(try target(nil, variables)?.url == "http://traces:9/in")
  }

  @Test("is nowhere without an address, and where OpenTelemetry is switched off")
  func nowhere() throws {
    #expect(try target(nil) == nil)
    #expect(try target(nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": ""]) == nil)
    var variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]
    variables["OTEL_SDK_DISABLED"] = "True"
    #expect(try target(nil, variables) == nil)
    #expect(try target("http://127.0.0.1:4318", variables) != nil)
    variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]
    variables["OTEL_TRACES_EXPORTER"] = "none"
    #expect(try target(nil, variables) == nil)
  }

  @Test("has the headers, the name and the attributes of the variables, decoded")
  func more() throws {
    let target = try #require(
      try target(
        "http://127.0.0.1:4318",
        [
          "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b%3Dc, tenant = one ,=none,bare",
          "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x=100%",
          "OTEL_RESOURCE_ATTRIBUTES": "service.name=builds,deployment.environment=ci%2Fmain",
          "OTEL_EXPORTER_OTLP_TIMEOUT": "1500",
        ]))
    #expect(target.headers == ["api-key: a b=c", "tenant: one", "x: 100%"])
    #expect(target.service == "builds")
    #expect(target.attributes.map(\.name) == ["deployment.environment"])
    #expect(target.attributes.map(\.value) == ["ci/main"])
    #expect(target.timeout == .milliseconds(1500) && target.patience == .milliseconds(1500))
  }

  @Test(
    "says what is wrong with a time that is none, and has the default",
    arguments: ["0.5", "5s", "0", "-1"])
  func timeout(text: String) throws {
    let target = try #require(
      try target("http://127.0.0.1:4318", ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": text]))
    #expect(target.timeout == .seconds(10) && target.patience == .seconds(2))
    #expect(
      target.problem
        == "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '\(text)' is not a positive number of milliseconds; the limit is 10 s"
    )
  }

  @Test("names the option or the variable whose address is none")
  func refused() {
    for text in ["collector:4318", "grpc://collector:4317", "http://", "http:///v1", "/in"] {
      #expect(
        throws: UsageError.input(
          "--otlp: '\(text)' is not the address of a collector, such as http://127.0.0.1:4318")
      ) { try target(text) }
    }
    #expect(
      throws: UsageError.input(
        "OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' is not the address of a collector, such as "
          + "http://127.0.0.1:4318")
    ) { try target(nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector"]) }
  }
}
