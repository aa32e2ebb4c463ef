extension String {
  /// This text without what a program says only if something takes long, which a slow machine decides: that
  /// it waits for a hub or for a service, and what a run waits for that a signal has ended.
  var withoutSlowRemarks: String {
    let waits =
      #/^raclette: waiting (?:for the hub of .*|for .* \(pid \d+\) to end|until .* is ready.*)\n/#
    let ends =
      #/^(raclette: (?:interrupted|terminated|hung up)), (?:cleaning up|waiting for .* to end)(?:; press Ctrl-C again to kill)?$/#
    return replacing(waits.anchorsMatchLineEndings(), with: "")
      .replacing(ends.anchorsMatchLineEndings()) { "\($0.1)" }
  }
}
