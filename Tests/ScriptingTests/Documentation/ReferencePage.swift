@testable import Scripting

/// A page of the reference, as the table of the API says it.
struct ReferencePage {
  enum Section {
    case family(APIFamily, path: String)
    case module(APIModule)
    case object(APIObject)
    case record(APIRecord)
  }

  let file: String
  let title: String
  let abstract: String
  let sections: [Section]

  static let all: [ReferencePage] = [
    ReferencePage(
      file: "MakingSignals", title: "Making signals",
      abstract: "The functions of `rac` that make signals, from scratch or from other signals.",
      sections: functions(["Making signals", "Making one signal of several"])
        + functions(["Signals controlled by hand"]) + [.object(Library.subjectObject)]
        + [.object(Library.subscriberObject)]),
    ReferencePage(
      file: "SignalMethods", title: "What signals can do",
      abstract:
        "The methods of every signal: those that `rac` makes, subjects, groups and executions.",
      sections: Library.signalFamilies.map { .family($0, path: "signal:") }),
    ReferencePage(
      file: "CommandReference", title: "Commands and executions",
      abstract: "How a command is defined, executed and observed.",
      sections: functions(["Commands"])
        + [
          .record(Library.commandDefinition), .record(Library.defaults), .record(Library.parameter),
          .record(Library.needs), .record(Library.need), .record(Library.commandStep),
          .record(Library.retry), .record(Library.environmentFile), .record(Library.includeOptions),
          .record(Library.adoptOptions),
          .record(Library.ready), .record(Library.restart), .record(Library.panelPlace),
          .object(Library.commandObject), .record(Library.executeOptions),
          .object(Library.executionObject), .object(Library.lazyObject),
        ]),
    ReferencePage(
      file: "SystemReference", title: "Processes, files, time and data",
      abstract: "The functions of `rac` that access the machine.",
      sections: functions(["Processes"])
        + [.record(Library.execOptions), .record(Library.shellOptions)]
        + functions(["Files and standard input"])
        + [
          .record(Library.watchOptions), .record(Library.fileChange), .record(Library.fileStatus),
        ]
        + functions(["Servers and their ports"]) + [.record(Library.httpOptions)]
        + functions(["Time"]) + [.object(Library.testSchedulerObject)]
        + [.module(APIModule(path: "rac", summary: "Values.", fields: Library.root.fields))]
        + Library.modules.filter { $0.path != "rac.scheduler" }.map { .module($0) }
        + functions(["Questions"]) + [.record(Library.stats)]),
    ReferencePage(
      file: "ObjectReference", title: "Subscriptions, schedulers, tuples and errors",
      abstract: "The smaller objects and tables of the library.",
      sections: [
        .object(Library.disposableObject), .object(Library.connectionObject),
        .object(Library.groupObject),
      ] + Library.modules.filter { $0.path == "rac.scheduler" }.map { .module($0) }
        + [.object(Library.schedulerObject)]
        + [Library.error, Library.tuple, Library.list, Library.event, Library.observer]
        .map { .record($0) }),
  ]

  private static func functions(_ titles: [String]) -> [Section] {
    titles.flatMap { title in
      Library.functionFamilies.filter { $0.title == title }.map { .family($0, path: "rac.") }
    }
  }

  /// The text of the page.
  var lines: [String] {
    ["# \(title)", "", abstract] + sections.flatMap(\.lines) + [""]
  }
}

extension ReferencePage.Section {
  /// The names of what it tells of, for the test that nothing is left out or told twice.
  var names: [String] {
    switch self {
    case .family(let family, let path): family.functions.map { path + $0.name }
    case .module(let module):
      module.functions.map { "\(module.path).\($0.name)" }
        + module.fields.map { "\(module.path).\($0.name)" }
    case .object(let object):
      object.methods.map { "\(object.kind.rawValue):\($0.name)" }
        + object.properties.map { "\(object.kind.rawValue).\($0.name)" }
    case .record(let record): [record.name]
    }
  }

  var lines: [String] {
    switch self {
    case .family(let family, let path):
      ["", "## \(family.title)"] + family.functions.flatMap { $0.lines(after: path) }
    case .module(let module):
      ["", "## \(module.path)", "", module.summary]
        + Self.table(
          module.fields.map { ("\(module.path).\($0.name)", $0.type.annotation, $0.summary) })
        + module.functions.flatMap { $0.lines(after: "\(module.path).") }
    case .object(let object):
      ["", "## \(object.kind.className)", "", object.summary + object.kind.inheritance]
        + Self.table(object.properties.map { (".\($0.name)", $0.type.annotation, $0.summary) })
        + object.methods.flatMap { $0.lines(after: "\(object.kind.rawValue):") }
    case .record(let record):
      [
        "", "## \(record.name)", "",
        record.summary + (record.parent.map { " It has the fields of `\($0)` too." } ?? ""),
      ]
        + Self.table(record.fields.map { ($0.name, $0.type, $0.summary) })
    }
  }

  private static func table(_ rows: [(name: String, type: String, summary: String)]) -> [String] {
    guard !rows.isEmpty else { return [] }
    func cell(_ text: String) -> String {
      text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
    return ["", "| Field | Type | |", "|---|---|---|"]
      + rows.map { "| `\($0.name)` | `\(cell($0.type))` | \(cell($0.summary)) |" }
  }
}

extension ObjectKind {
  fileprivate var inheritance: String {
    parent.map { " It has the members of `\($0.className)` too." } ?? ""
  }
}

extension APIFunction {
  /// The heading, the signature, what it does, and an example.
  fileprivate func lines(after path: String) -> [String] {
    let object = path.hasSuffix(":") ? "" : path
    let call = path.split(separator: " ").joined(separator: "_") + name
    let arguments = parameters.map { parameter in
      let name = parameter.isVariadic ? "..." : parameter.name
      let mark = parameter.isOptional && !parameter.isVariadic ? "?" : ""
      return "\(name)\(mark): \(parameter.type.annotation)"
    }
    let result = result.map { " -> \($0.annotation)" } ?? ""
    var lines = ["", "### \(object)\(name)", "", "```text"]
    lines += ["\(call)(\(arguments.joined(separator: ", ")))\(result)", "```", ""]
    lines += [summary + (waits ? " Suspends the coroutine." : "")]
    if let example {
      lines += ["", "```lua"] + example.split(separator: "\n").map(String.init) + ["```"]
    }
    return lines
  }
}
