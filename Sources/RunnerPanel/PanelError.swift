import Platform

/// The reason why a panel does not start.
enum PanelError: Error, Equatable, CustomStringConvertible {
  case noLibrary(reason: String)
  case cannotListen(String, reason: String)
  /// The address can be reached from elsewhere, and no name for it is allowed.
  case unnamedHost(String)
  case tokenFile(String, reason: String)
  case noRandomness

  var description: String {
    switch self {
    case .noLibrary(let reason):
      "the panel needs libmicrohttpd: install the package libmicrohttpd12 (\(reason))"
    case .cannotListen(let address, let reason):
      "cannot listen at \(address): \(reason)"
    case .unnamedHost(let address):
      "'\(address)' can be reached from other machines; specify the name that clients use: "
        + "--allow-host NAME"
    case .tokenFile(let path, let reason):
      "the token file '\(path)' \(reason)"
    case .noRandomness: "the system provides no random numbers for a token"
    }
  }
}
