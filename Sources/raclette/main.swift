import Platform
import RacletteCLI

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

exit(Raclette.main(Array(ProcessEnvironment.arguments().dropFirst())))
