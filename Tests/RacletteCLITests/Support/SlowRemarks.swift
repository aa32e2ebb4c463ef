extension String {
  /// This text without what a program says only if something takes long, which a slow machine decides: that
  /// it waits for a hub or for a service, each once, and what a run waits for that a signal has ended.
  var withoutSlowRemarks: String {
    let wait =
      #/raclette: waiting (?:for the hub of .*|for .* \(pid \d+\) to end|until .* is ready.*)/#
    let interrupted =
      #/(raclette: interrupted), (?:cleaning up|waiting for .* to end); press Ctrl-C again to kill/#
    let ended = #/(raclette: (?:terminated|hung up)), (?:cleaning up|waiting for .* to end)/#
    var removed: Set<Substring> = []
    return split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      if line.wholeMatch(of: wait) != nil, removed.insert(line).inserted { return nil }
      let end = line.wholeMatch(of: interrupted)?.1 ?? line.wholeMatch(of: ended)?.1
      return String(end ?? line)
    }.joined(separator: "\n")
  }
}
