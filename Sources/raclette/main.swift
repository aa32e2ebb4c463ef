import Platform
import RacletteCLI

exit(Raclette.main(Array(ProcessEnvironment.arguments().dropFirst())))
