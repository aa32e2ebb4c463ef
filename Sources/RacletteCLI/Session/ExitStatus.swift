/// The exit statuses of the contract.
enum ExitStatus {
  static let success: Int32 = 0
  static let failure: Int32 = 1
  /// Wrong usage or invalid input.
  static let usage: Int32 = 2
  /// The command file is missing or does not load.
  static let unloadable: Int32 = 3
  /// The command is not enabled; `EX_TEMPFAIL` of `sysexits.h`.
  static let notEnabled: Int32 = 75
  /// As `timeout(1)` has it.
  static let timeout: Int32 = 124
  static let interrupted: Int32 = 130
  static let terminated: Int32 = 143
}
