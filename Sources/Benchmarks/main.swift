import Reactive
import Synchronization

final class FloorSubject: @unchecked Sendable {
  let lock = Atomic<Bool>(false)
  var observers: [@Sendable (Int) -> Void] = []
  func subscribe(_ o: @escaping @Sendable (Int) -> Void) { observers.append(o) }
  func send(_ v: Int) {
    while !lock.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged {}
    let snapshot = observers
    lock.store(false, ordering: .releasing)
    for o in snapshot { o(v) }
  }
}
final class Box: @unchecked Sendable { var v = 0 }
func time(_ n: Int, _ f: () -> Void) -> Double {
  let c = ContinuousClock(); let d = c.measure(f)
  return Double(d.components.attoseconds) / 1e9 / Double(n) + Double(d.components.seconds) * 1e9 / Double(n)
}
@inline(never) func floorMap(_ f: @escaping @Sendable (Int) -> Int, _ n: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { { n(f($0)) } }
@inline(never) func floorFilter(_ f: @escaping @Sendable (Int) -> Bool, _ n: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { { if f($0) { n($0) } } }
@inline(never) func floorScan(_ s: Int, _ f: @escaping @Sendable (Int, Int) -> Int, _ n: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { let b = Box(); b.v = s; return { b.v = f(b.v, $0); n(b.v) } }
let N = 5_000_000
for _ in 0..<3 {
  let sum = Box()
  let fs = FloorSubject()
  fs.subscribe(floorMap({ $0 &* 3 }, floorFilter({ $0 & 1 == 0 || $0 & 2 != 0 || true }, floorMap({ $0 &+ 1 }, floorScan(0, { $0 &+ $1 }, { sum.v = $0 })))))
  let a = time(N) { for i in 0..<N { fs.send(i) } }
  let s = Subject<Int>()
  s.map { $0 &* 3 }.filter { $0 & 1 == 0 || $0 & 2 != 0 || true }.map { $0 &+ 1 }.scan(0) { $0 &+ $1 }.subscribe(next: { sum.v = $0 })
  let b = time(N) { for i in 0..<N { s.sendNext(i) } }
  print("W1", a, b, b / a)
  let fs2 = FloorSubject(); let s2 = Subject<Int>()
  for _ in 0..<100 { let bx = Box(); fs2.subscribe { bx.v &+= $0 }; s2.subscribe(next: { bx.v &+= $0 }) }
  let M = 100_000
  let a2 = time(M * 100) { for i in 0..<M { fs2.send(i) } }
  let b2 = time(M * 100) { for i in 0..<M { s2.sendNext(i) } }
  print("W2", a2, b2, b2 / a2)
  let r = ReplaySubject<Int>()
  for i in 0..<100_000 { r.sendNext(i) }
  let arr = Array(0..<100_000)
  let a3 = time(100_000 * 20) { for _ in 0..<20 { let bx = Box(); let f: @Sendable (Int) -> Void = { bx.v &+= $0 }; let lk = FloorSubject(); lk.subscribe(f); for v in arr { lk.observers[0](v) } } }
  let b3 = time(100_000 * 20) { for _ in 0..<20 { let bx = Box(); r.subscribe(next: { bx.v &+= $0 }) } }
  print("W3", a3, b3, b3 / a3)
  let a7 = time(N / 5) { for i in 0..<N / 5 { let bx = Box()
    let done = Box()
    let sink: @Sendable (Int) -> Void = { bx.v = $0 }; let fin: @Sendable () -> Void = { done.v = 1 }
    let create: @Sendable (@escaping @Sendable (Int) -> Void, @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? = { n, c in n(i); c(); return nil }
    let fs = FloorSubject(); fs.subscribe(sink)
    _ = create({ fs.send($0) }, fin) } }
  let b7 = time(N / 5) { for i in 0..<N / 5 { let bx = Box(); let done = Box()
    let d = Signal<Int>.create { s in s.sendNext(i); s.sendCompleted(); return nil }.subscribe(next: { bx.v = $0 }, completed: { done.v = 1 })
    d.dispose()
  } }
  print("W7", a7, b7, b7 / a7)
}
