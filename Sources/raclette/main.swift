import CVersion
import Platform
import RacletteCLI

exit(
  Raclette.main(
    Array(ProcessEnvironment.arguments().dropFirst()), commit: String(cString: raclette_commit())))
