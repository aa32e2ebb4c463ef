/// The name of this machine.
public var hostName: String {
  var space = [CChar](repeating: 0, count: 256)
  gethostname(&space, space.count - 1)
  return String(decoding: space.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
