import Scripting

/// The exit statuses that the program documents.
package enum ExitStatus {
  package static let success: Int32 = 0
  package static let failure: Int32 = 1
  /// Wrong usage or invalid input.
  package static let usage: Int32 = 2
  /// The command file is missing or does not load.
  package static let commandFileError: Int32 = 3
  /// The command is not enabled; `EX_TEMPFAIL` of `sysexits.h`.
  static let notEnabled: Int32 = 75
  /// The same status as `timeout(1)`.
  package static let timeout: Int32 = 124

  /// The status of a run that an OS signal ended, as in shells: 130 for SIGINT, 143 for SIGTERM.
  package static func ended(by signal: Int32) -> Int32 { 128 + signal }
}

extension Failure {
  /// The documented exit status of this failure.
  ///
  /// - Parameter isSingle: true if it is the failure of the only command of a run, so that the
  ///   status of its process becomes the program's own.
  package func exitStatus(ofSingle isSingle: Bool) -> Int32 {
    switch rootKind {
    case .exit where isSingle, .dependency where isSingle:
      // A process may have failed with 0 if the script expects another status.
      code.flatMap { $0 == 0 ? nil : $0 } ?? ExitStatus.failure
    case .notEnabled: ExitStatus.notEnabled
    case .timeout: ExitStatus.timeout
    case .input: ExitStatus.usage
    default: ExitStatus.failure
    }
  }
}
