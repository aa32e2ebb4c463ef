import RunnerCore

extension Option {
  package static let submit = Option(
    name: .submit, long: "submit",
    help: "hand the plan over to the workers of a journal on a server, and leave")
  package static let bundle = Option(
    name: .bundle, long: "bundle", value: "GLOB",
    help: "files that workers get besides the command file's; may be repeated")
}
