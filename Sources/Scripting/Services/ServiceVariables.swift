import Platform

/// The variables of its caller that a service certainly depends on.
extension ScriptCommand {
  /// The names of those that its definition names as secrets, and of those that its lines read, except for
  /// what it sets itself and what shells set.
  private var namesOfCallersVariables: Set<String> {
    let environment = description.environment
    var names = Set(environment.secrets)
    if environment.shell?.isPOSIX != false {
      for case .line(let line) in description.work?.steps ?? [] {
        names.formUnion(ShellScript.variables(readBy: line))
      }
    }
    names.subtract(environment.variables.map(\.name))
    names.subtract(parameters.flatMap { [$0.name, $0.variable] })
    return names.subtracting(["PWD", "OLDPWD", "SHLVL", "PPID", "IFS", "OPTARG", "OPTIND", "_"])
  }

  /// The names of such variables that have other values for another caller, in order.
  package func variables(of caller: CallerEnvironment, differingFrom other: CallerEnvironment)
    -> [String]
  {
    namesOfCallersVariables.filter { caller.value(of: $0) != other.value(of: $0) }.sorted()
  }
}

extension ShellScript {
  /// The variables that a line reads and does not set; none where that cannot be known.
  static func variables(readBy line: [UInt8]) -> Set<String> {
    guard let text = withoutQuotedTexts(line) else { return [] }
    let code = String(exactly: text)
    let read = code.matches(of: /\$\{?([A-Za-z_][A-Za-z0-9_]*)/).map { String($0.output.1) }
    let words = Set(code.split { !($0.isLetter || $0.isNumber || "_=$".contains($0)) })
    // It is set where it stands without a sign before it: `x=1`, `read x`, `for x in`.
    return Set(read).filter { name in
      !words.contains { $0.hasPrefix("\(name)=") } && !words.contains(Substring(name))
    }
  }
}
