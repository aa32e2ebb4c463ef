import Platform

/// What a comparison of the sources begins with; made on any thread.
struct KeptAndFound: Sendable {
  /// What is kept of the last execution; nil if nothing is but, perhaps, what it has made.
  let stored: StoredExecution?
  /// The known outputs, as the last execution left them.
  let outputs: [FileRecord]
  /// The paths of the files that count as sources now.
  let sources: Result<[String], GlobError>

  /// What there is besides a known execution.
  init(_ terms: UpToDateTerms, _ stored: StoredExecution?) {
    self.stored = stored
    outputs = stored?.outputs ?? []
    sources = Self.sources(terms)
  }

  /// Reads a record of the store while another thread looks for the sources, if the record is so long
  /// that this is worth a thread.
  init(_ terms: UpToDateTerms, _ state: StoredState?) {
    let record = state?.record ?? []
    let halves = concurrently(
      taking: [Half.stored, .sources], ofBytes: UInt64(record.count) * Self.bytesHashedMeanwhile
    ) { half -> (StoredExecution?, Result<[String], GlobError>?) in
      switch half {
      case .stored: (try? StoredExecution(record), nil)
      case .sources: (nil, Self.sources(terms))
      }
    }
    let known = halves[0].0
    stored = state?.reason == nil ? known : nil
    outputs = known?.outputs ?? []
    sources = halves[1].1 ?? .success([])
  }

  private enum Half {
    case stored
    case sources
  }

  /// To read a byte of the record, and to look for the files of which it tells, takes as long as to hash
  /// so many.
  private static let bytesHashedMeanwhile: UInt64 = 16

  private static func sources(_ terms: UpToDateTerms) -> Result<[String], GlobError> {
    Result { () throws(GlobError) in try terms.sourcePaths() }
  }
}
