import LuaRuntime
import Platform
import Scripting

/// What a hub holds, at one moment, as `ps` prints it.
package struct HubListing {
  /// The hub's own words; nil if none runs.
  private let answer: JSONValue?
  private let now: Double

  /// Asks the hub that runs, or one that has to end what a killed one has left.
  ///
  /// - Throws: `HubError`.
  package init(of client: HubClient, in session: Session) throws(HubError) {
    answer = try client.askIfRunning(HubRequest("GET", "hub"), in: session)
    now = WallClock.seconds
  }

  /// True if a service of this name runs, or is going to.
  package func isUp(_ name: ServiceName) -> Bool { states(of: name).contains { !$0.isOver } }

  /// True if a service of this name runs that the next one who needs it uses as it is.
  func isUsable(_ name: ServiceName) -> Bool {
    states(of: name).contains { !$0.isOver && $0 != .ending }
  }

  private func states(of name: ServiceName) -> [ServiceState] {
    services(of: name).compactMap { _, service in
      service[field: "state"]?.string.flatMap(ServiceState.init)
    }
  }

  /// The services that a name means.
  package func meant(by name: ServiceName) -> [ServiceFace] { services(of: name).map(\.0) }

  private func services(of name: ServiceName) -> [(ServiceFace, JSONValue)] {
    let services = list("services").compactMap { service in
      Self.face(of: service).map { ($0, service) }
    }
    return name.meant(among: services, \.0)
  }

  private static func face(of service: JSONValue) -> ServiceFace? {
    service[field: "name"]?.string.map { name in
      ServiceFace(
        name, id: service[field: "id"]?.string ?? "", input: service[field: "input"]?.text)
    }
  }

  private func list(_ name: String) -> [JSONValue] {
    guard case .list(let elements)? = answer?[field: name] else { return [] }
    return elements
  }

  package var json: JSONValue {
    answer ?? .object([("hub", .null), ("services", .list([])), ("executions", .list([]))])
  }

  /// Why the hub keeps the previous definitions; nil if it has the current ones.
  private var problem: String? { answer?[field: "hub"]?[field: "error"]?.string }

  /// Rows for people, with a heading; empty if the hub holds nothing.
  package var text: String {
    var tables: [String] = []
    let services = list("services")
    if !services.isEmpty {
      let heading = [
        "SERVICE", "STATE", "UPTIME", "PID", "PORTS", "USERS", "RESTARTS", "LAST PROBE",
      ]
      let faces = services.compactMap { Self.face(of: $0) }
      tables.append(TextTable.text([heading] + services.map { row(ofService: $0, among: faces) }))
    }
    let executions = list("executions")
    if !executions.isEmpty {
      let heading = ["NUMBER", "COMMAND", "STATE", "SINCE", "INPUT"]
      tables.append(TextTable.text([heading] + executions.map { row(of: $0) }))
    }
    return tables.joined(separator: "\n")
  }

  /// What there is to tell of services that run with an earlier definition, and of a command file that
  /// does not load.
  package var remarks: [String] {
    // Without the present definitions, nothing is started again.
    if let problem {
      guard case .bool(false)? = answer?[field: "hub"]?[field: "defined"] else {
        return ["the hub keeps the previous definitions: \(problem)"]
      }
      return ["the command file does not load: \(problem)"]
    }
    return list("services").compactMap { service in
      guard case .bool(true)? = service[field: "outdated"], let face = Self.face(of: service)
      else { return nil }
      let name = face.text
      guard let lack = service[field: "lack"]?.string else {
        return ServiceRemark(name, 0, .definition(users: [])).text
      }
      return "\(name) runs with an earlier definition: \(lack); to end it: raclette :down "
        + name.quotedForShell
    }
  }

  /// Messages that say what a call waits for that starts or ends services.
  ///
  /// - Parameters:
  ///   - names: those of the services; empty for all.
  ///   - answer: what the hub holds.
  static func waits(for names: [ServiceName], in answer: JSONValue) -> [String] {
    guard case .list(let services)? = answer[field: "services"] else { return [] }
    let faces = services.compactMap { face(of: $0) }
    let meant = names.isEmpty ? faces : names.flatMap { $0.meant(among: faces, \.self) }
    return services.compactMap { service in
      guard let face = face(of: service), meant.contains(face) else { return nil }
      let name = face.text
      let process = service[field: "pid"]?.integer.map { " (pid \($0))" }
      switch service[field: "state"]?.string.flatMap(ServiceState.init) {
      case .ending, .restarting: return process.map { "waiting for \(name)\($0) to end" }
      case .starting where isProbed(service):
        let why = HubListing.answer(of: service).map { ": \($0)" } ?? ""
        return "waiting until \(name) is ready\(why)"
      default: return nil
      }
    }
  }

  private func row(ofService service: JSONValue, among faces: [ServiceFace]) -> [String] {
    let uptime = service[field: "uptime"]?.seconds.map {
      Duration.milliseconds(Int64($0 * 1000)).shortText
    }
    var ports: [String] = []
    if case .list(let numbers)? = service[field: "ports"] {
      ports = numbers.compactMap { $0.integer.map(String.init) }
    }
    return [
      Self.face(of: service)?.text(among: faces).visibleInLine ?? "",
      service[field: "state"]?.string ?? "",
      uptime ?? "-", service[field: "pid"]?.integer.map { "\($0)" } ?? "-",
      ports.isEmpty ? "-" : ports.joined(separator: ","),
      "\(service[field: "users"]?.integer ?? 0)", "\(service[field: "restarts"]?.integer ?? 0)",
      Self.answer(of: service)?.visibleInLine ?? "",
    ]
  }

  /// Why a service has failed or is going to be started again, what it waits for, or what its probe has
  /// answered.
  private static func answer(of service: JSONValue) -> String? {
    service[field: "failure"]?.string
      ?? service[field: "waits"].flatMap { Contention($0)?.text }
      ?? service[field: "probe"]?.string ?? (isProbed(service) ? nil : "none: it has no 'ready'")
  }

  /// False for a service without `ready`, which stays `starting`.
  private static func isProbed(_ service: JSONValue) -> Bool {
    if case .bool(false)? = service[field: "probed"] { false } else { true }
  }

  private func state(of execution: JSONValue) -> String {
    let isLost = execution[field: "error"]?[field: "kind"]?.string == Failure.Kind.lost.rawValue
    return isLost ? "lost" : execution[field: "state"]?.string ?? ""
  }

  private func row(of execution: JSONValue) -> [String] {
    let since =
      execution[field: "ended"]?.seconds ?? execution[field: "started"]?.seconds
      ?? execution[field: "created"]?.seconds ?? now
    return [
      "\(execution[field: "id"]?.integer ?? 0)",
      execution[field: "command"]?.string?.visibleInLine ?? "",
      state(of: execution),
      Duration.milliseconds(Int64(max(0, now - since) * 1000)).shortText,
      execution[field: "input"].map { $0.text == "{}" ? "" : $0.text.visibleInLine } ?? "",
    ]
  }
}

/// Aligned columns of texts.
package enum TextTable {
  package static func text(_ rows: [[String]]) -> String {
    var widths = [Int](repeating: 0, count: rows.map(\.count).max() ?? 0)
    for row in rows {
      for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) }
    }
    return rows.map { row -> String in
      var line = ""
      for (column, text) in row.enumerated() {
        line += text + String(repeating: " ", count: widths[column] - text.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
