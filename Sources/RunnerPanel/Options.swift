import RunnerCore

extension Option {
  /// The options of `panel`.
  package static let panel: [Option] =
    [
      .file, .global, .listen, .open, .readOnly, .tokenFile, .allowHost, .keep, .json,
      .conditionTimeout,
    ]
    + confinement

  static let listen = Option(
    name: .listen, long: "listen", value: "ADDRESS",
    help: "where the page is: 127.0.0.1:7878, :0 for a free port, or unix:PATH")
  static let open = Option(name: .open, long: "open", help: "open the page in the browser")
  static let readOnly = Option(
    name: .readOnly, long: "read-only", help: "show everything, execute and cancel nothing")
  static let tokenFile = Option(
    name: .tokenFile, long: "token-file", value: "FILE", form: .file,
    help: "the token that requests have to send; a new one is written if FILE is missing")
  static let allowHost = Option(
    name: .allowHost, long: "allow-host", value: "NAME",
    help: "another name under which the page may be reached")
  static let keep = Option(
    name: .keep, long: "keep", value: "N", form: .number,
    help: "how many executions that have ended are kept with their output; else 200")
}
