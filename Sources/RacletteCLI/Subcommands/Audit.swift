import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

extension Subcommand {
  static let audit: Subcommand = Subcommand(
    name: "audit", underMake: .leftOut, arguments: "COMMAND [ARGS]",
    summary: "Execute a command and list what it reads and writes but does not name",
    options: [.file, .adopt, .global] + auditRun + [.json, .write, .absent]
      + Option.confinement,
    passesArguments: true, completion: .calls,
    preparing: { line in
      guard !line.words.isEmpty else {
        throw UsageError.missingArgument("COMMAND", usage: Subcommand.audit.usage)
      }
      let folder = currentFolder() ?? "."
      // Jobs are those of the runner that is traced.
      let own = line.without(.jobs)
      return .session(CommandFileSession(own, confirmation: Confirmations.refuse)) {
        session, file in
        try audit(line, session, file, from: folder)
      }
    })

  /// The runner of an audited command, below the tracer.
  static let audited: Subcommand = Subcommand(
    name: "audited", underMake: .leftOut, arguments: "COMMAND [ARGS]",
    summary: "Execute a command for its auditor",
    options: [.file, .adopt, .global, .forceOnly] + auditRun + Option.confinement,
    passesArguments: true,
    preparing: { line in
      let confirmations = Confirmations(line, asks: true)
      return .session(CommandFileSession(line, confirmation: confirmations.confirm)) {
        session, file in
        let reader = CallReader(session.host, file: file, asks: false)
        let call = try reader.call(line.words[...])
        guard let plan = plan(call, line, in: session) else { return ExitStatus.usage }
        if session.isEnding { return ExitStatus.failure }
        let marks = AuditMarks(call.command)
        session.host.add(marks)
        session.host.add(ofExecutions: marks)
        return execute(
          try PlannedRuns(line, journal: nil, in: session).runs(of: plan)(), in: session)
      }
    })

  /// The options of `run` that it passes on.
  private static let auditRun: [Option] = [
    .jobs, .resource, .yes, .trust, .timeout, .conditionTimeout, .noDeps,
  ]

  private static func plan(
    _ call: Plan.Call, _ line: CommandLine, in session: Session
  ) -> Plan? {
    do {
      let plan = try Plan(sequences: [[call]], skippingNeeds: line.has(.noDeps))
      for call in plan.steps.map(\.call) + plan.inner { call.command.hideSecrets(of: call.input) }
      return plan
    } catch {
      session.report.failure(error.atPosition)
      return nil
    }
  }

  private static func audit(
    _ line: CommandLine, _ session: Session, _ file: String, from folder: String
  ) throws -> Int32 {
    let reader = CallReader(session.host, file: file, asks: false)
    if let command = try reader.helpWanted(in: [line.words[...]]) {
      try Terminal.output(command.helpText)
      return ExitStatus.success
    }
    let call = try reader.call(line.words[...])
    let command = call.command
    if command.isService { throw UsageError.input(AuditError.service(command.name).description) }
    guard let plan = plan(call, line, in: session) else { return ExitStatus.usage }
    let hasServices = (plan.steps.map(\.call) + plan.inner).contains(where: \.command.isService)
    let run = try TracedRun(session, from: folder)
    let status = try run.run(
      line.words(ofAudited: command.name), of: command.name, in: folder,
      leavesProcesses: hasServices)
    if session.isEnding { return ExitStatus.failure }
    var trace = run.trace
    let definition =
      session.commandFiles.map(\.path) + session.moduleFiles + command.environmentFiles
    let findings = trace.findings(definition: definition.compactMap(resolvedPath))
    let rules = try session.fileRules(of: call)
    let report = AuditReport(
      command, findings, rules, in: currentFolder() ?? "/", countsAbsent: line.has(.absent))
    if line.has(.json) {
      let input = (try? session.host.jsonValue(call.input)).map { $0.masked ?? $0 }
      try Terminal.output(json: report.json(input ?? .null, status: status).text)
    } else {
      try Terminal.output(Secrets.masked(report.text(isVerbose: line.has(.verbose))))
    }
    if command.declaresUpToDate || !report.isComplete {
      for sentence in command.uncountedServices { session.report.log(.warn, sentence) }
    }
    guard status == 0 else {
      session.report.error(
        "'\(command.name)' has failed (exit status \(status)): it may read and write more when it "
          + "succeeds")
      return status
    }
    if line.has(.write), !report.isComplete {
      do { session.report.say(try AuditWriting(command, report).write()) } catch {
        session.report.error("\(error)")
        return ExitStatus.failure
      }
      return report.unmade.isEmpty ? ExitStatus.success : ExitStatus.failure
    }
    return report.isClean ? ExitStatus.success : ExitStatus.failure
  }
}

extension CommandLine {
  /// The arguments of the runner that is traced.
  fileprivate func words(ofAudited command: String) -> [String] {
    let known = Subcommand.audited.options + Option.common
    let options = options.compactMap { name, value in
      known.first { $0.name == name }.map { option in
        "--\(option.long)" + (option.value == nil ? "" : "=\(value)")
      }
    }
    return [":audited"] + options + ["--force-only=\(command)", "--"] + words
  }
}

extension Session {
  /// Returns what a definition says of the files of an execution.
  fileprivate func fileRules(of call: Plan.Call) throws -> FileRules {
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    var answer: Result<FileRules, any Error>?
    call.command.askFileRules(call.input, in: subscription) { answer = $0 }
    wait { answer != nil || isEnding }
    guard let answer else { return try FileRules.none }
    do { return try answer.get() } catch { throw host.failure(of: error) }
  }
}

extension Option {
  /// Executes one command although it is up to date.
  static let forceOnly = Option(
    name: .forceOnly, long: "force-only", value: "COMMAND",
    help: "execute COMMAND even if it is up to date")
}
