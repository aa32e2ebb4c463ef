// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "library-example",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "raclette", path: "../..")],
  targets: [
    .executableTarget(
      name: "search", dependencies: [.product(name: "Commands", package: "raclette")]),
    .executableTarget(
      name: "rules", dependencies: [.product(name: "Scripting", package: "raclette")]),
  ],
  swiftLanguageModes: [.v6]
)
