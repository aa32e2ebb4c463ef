import Platform
import Scripting

extension Session {
  /// Makes a trace of what the session executes, if the command line or the variables of
  /// OpenTelemetry ask for one.
  ///
  /// - Parameter name: the name of its first span.
  /// - Returns: nil if none is wanted, or if the caller does not record the trace that this would
  ///   belong to.
  /// - Throws: `UsageError` for an address that nothing can be sent to.
  package func makeTrace(_ line: CommandLine, named name: String) throws(UsageError) -> Trace? {
    guard let target = try TraceTarget(line) else { return nil }
    let caller = (line[.traceParent] ?? environment("TRACEPARENT")).flatMap(TraceContext.init)
    guard caller?.isSampled != false else { return nil }
    if let problem = target.problem { report.say(problem) }
    let exporter = TraceExporter(target, on: loop)
    traceExporter = exporter
    return Trace(exporter, name, caller: caller)
  }

  /// Lets a trace follow the processes of the present interpreter, and lets these know their place
  /// in it.
  package func follow(by trace: Trace) {
    host.add(trace)
    host.add(ofStarts: trace)
    let others = host.policy.processVariables
    host.policy.processVariables = { execution in
      others(execution) + [("TRACEPARENT", Array(trace.parent(ofProcessIn: execution).utf8))]
    }
  }
}
