import Platform
import RunnerCore
import Scripting

extension Subcommand {
  static let doctor: Subcommand = Subcommand(
    name: "doctor", underMake: .answered, arguments: "",
    summary: "Check Lua, modules, files and the terminal, and suggest fixes",
    options: [.file, .global, .journal, .json], passesArguments: false
  ) { line in
    if let surplus = line.words.first {
      throw UsageError.unexpectedArgument(surplus, usage: Subcommand.doctor.usage)
    }
    try line.enterDirectory()
    let place = try ProjectPlace(line)
    let examinations = [
      Examination(topic: "program", findings: ProgramExamination.findings),
      Examination(topic: "project", findings: ProjectExamination(place).findings),
      Examination(topic: "modules", findings: ModuleExamination.findings(beside: place.file)),
      Examination(topic: "terminal", findings: TerminalExamination.findings(line[.color])),
      Examination(topic: "sessions", findings: SessionExamination.findings),
      Examination(topic: "cache", findings: CacheExamination.findings),
      Examination(topic: "system", findings: SystemExamination.findings),
    ]
    let report = DoctorReport(examinations: examinations)
    if line.has(.json) {
      try Terminal.output(json: report.json.text)
    } else {
      let style = Style(option: line[.color], descriptor: STDOUT_FILENO)
      try Terminal.output(report.text(style, isQuiet: line.has(.quiet)))
    }
    return report.count(.problem) == 0 ? ExitStatus.success : ExitStatus.failure
  }
}

/// The findings as people and programs read them.
struct DoctorReport {
  let examinations: [Examination]

  func count(_ state: Finding.State) -> Int {
    examinations.reduce(0) { $0 + $1.findings.count { $0.state == state } }
  }

  /// - Parameter isQuiet: true to leave out what is as it should be.
  func text(_ style: Style, isQuiet: Bool) -> String {
    var text = ""
    for examination in examinations {
      let findings = examination.findings.filter { !isQuiet || $0.state != .ok }
      guard !findings.isEmpty else { continue }
      text += style.strong("\(examination.topic):") + "\n"
      for finding in findings { text += self.text(of: finding, style) }
    }
    return isQuiet ? text : "\(text)\n\(summary)\n"
  }

  private func text(of finding: Finding, _ style: Style) -> String {
    // The longest state has seven letters.
    let word = finding.state.rawValue
    let mark = paint(finding.state, style)(word) + String(repeating: " ", count: 7 - word.count)
    let line = "  \(mark)  " + "\(finding.name): \(finding.text)".visibleInLine + "\n"
    return line + (finding.remedy.map { "           to fix it: " + $0.visibleInLine + "\n" } ?? "")
  }

  private func paint(_ state: Finding.State, _ style: Style) -> (String) -> String {
    switch state {
    case .ok: style.good
    case .warning: style.warning
    case .problem: style.error
    }
  }

  private var summary: String {
    [(Finding.State.problem, "problem"), (.warning, "warning")].map { state, word in
      let count = count(state)
      return "\(count == 0 ? "no" : "\(count)") \(word)\(count == 1 ? "" : "s")"
    }.joined(separator: ", ")
  }

  var json: JSONValue {
    let findings = examinations.flatMap { examination in
      examination.findings.map { finding in
        var fields: [(String, JSONValue)] = [
          ("topic", .string(examination.topic)), ("name", .string(finding.name)),
          ("state", .string(finding.state.rawValue)), ("text", .string(finding.text)),
        ]
        if let remedy = finding.remedy { fields.append(("remedy", .string(remedy))) }
        return JSONValue.object(fields)
      }
    }
    return .object([
      ("v", .integer(1)), ("problems", .integer(Int64(count(.problem)))),
      ("warnings", .integer(Int64(count(.warning)))), ("findings", .list(findings)),
    ])
  }
}
