import EventLoop
import Platform

/// An execution that uses resources, as far as the services concern it that it needs while it has them. Only
/// the outermost execution of a project counts: what is inside it shares its resources, and services do not.
struct ResourceHolder {
  /// The variable that names the outermost one for its processes, as JSON.
  private static let variable = "RACLETTE_HOLDER"

  let name: String
  let amounts: Resources
  /// What there was for it, if it is outside this process.
  var offers: Resources?
  /// Its entry in the ledger of the project, if it is outside this process; nil if it could make none.
  private var entry: (name: String, ledger: LedgerKey)?

  init(name: String, amounts: Resources) { (self.name, self.amounts) = (name, amounts) }

  /// True while it has its resources. A process that it has left running may be there for longer.
  var isThere: Bool { entry.map { SharedLedger.hasEntry($0.name, of: $0.ledger) } ?? true }

  /// The one that has started this process; nil if there is none, or if it belongs to another project.
  ///
  /// - Parameter ledger: the ledger of the project.
  static func outside(_ ledger: LedgerKey?) -> ResourceHolder? {
    guard let ledger,
      let json = ProcessEnvironment.value(of: variable).flatMap({ JSONValue(text: $0) }),
      json["ledger"]?.string == ledger.text, let name = json["command"]?.string,
      let amounts = json["uses"], let offers = json["of"]
    else { return nil }
    var holder = ResourceHolder(name: name, amounts: Resources(json: amounts))
    holder.offers = Resources(json: offers)
    holder.entry = json["entry"]?.string.map { ($0, ledger) }
    return holder
  }

  /// The variables of its processes.
  ///
  /// - Parameters:
  ///   - offers: what there is for it.
  ///   - ledger: the ledger of its project.
  ///   - entry: the name of its entry there; nil if it could make none.
  func variables(
    of offers: Resources, _ ledger: LedgerKey, _ entry: String?
  ) -> [EnvironmentChange] {
    let json = JSONValue.object(
      [
        ("ledger", .string(ledger.text)), ("command", .string(name)), ("uses", amounts.json),
        ("of", offers.filter { amounts[$0.key] != nil }.json),
      ] + (entry.map { [("entry", .string($0))] } ?? []))
    return [(Self.variable, json.text.exactBytes)]
  }

  /// The changes after which a process works for none.
  static var lifting: [EnvironmentChange] { [(variable, nil)] }
}

extension ScriptCommand {
  /// One of its executions that uses resources.
  var asHolder: ResourceHolder { ResourceHolder(name: name, amounts: resources) }
}

extension [ResourceHolder] {
  /// What they use together.
  var amounts: Resources {
    reduce(into: [:]) { sum, user in
      for (name, amount) in user.amounts {
        sum[name] = amount.with(amount.value + (sum[name]?.value ?? 0))
      }
    }
  }

  /// As in `'test' uses gpu = 1, 'db' uses memory = 2G`.
  var text: String { map { "'\($0.name)' uses \($0.amounts.text)" }.joined(separator: ", ") }
}
