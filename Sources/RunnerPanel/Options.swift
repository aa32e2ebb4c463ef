import RunnerCore

extension Option {
  /// The options of `panel`.
  package static let panel: [Option] =
    [
      .file, .adopt, .global, .listen, .open, .readOnly, .tokenFile, .allowHost, .keep, .json,
      .conditionTimeout, .resource,
    ]
    + confinement

  static let listen = Option(
    name: .listen, long: "listen", value: "ADDRESS",
    help: "listen at ADDRESS: 127.0.0.1:7878, :0 (a free port) or unix:PATH")
  static let open = Option(name: .open, long: "open", help: "open the page in the browser")
  static let readOnly = Option(
    name: .readOnly, long: "read-only",
    help: "show everything, but allow no executions or cancellations")
  static let tokenFile = Option(
    name: .tokenFile, long: "token-file", value: "FILE", form: .file,
    help: "read the token from FILE; create it if it is missing")
  static let allowHost = Option(
    name: .allowHost, long: "allow-host", value: "NAME",
    help: "accept requests for NAME as well; repeatable")
  static let keep = Option(
    name: .keep, long: "keep", value: "N", form: .number,
    help: "keep the last N executions and their output (default: 200)")
}
