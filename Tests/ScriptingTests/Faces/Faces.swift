import Reactive
import ReactiveTesting
import Testing

/// One thing that a name of the library does, as Lua says it and as Swift says it.
///
/// Both sides have `cold(marbles)`, which sends the marbles one a second, and `note(text)`.
struct Face: Sendable, CustomTestStringConvertible {
  /// What Swift's side is made of.
  struct Stage: Sendable {
    let scheduler: TestScheduler
    let note: @Sendable (String) -> Void

    func cold(_ marbles: String) throws -> Signal<String> {
      Signal(try scheduler.cold(marbles))
    }
  }

  /// The name in Lua: `signal:map`, `rac.merge`.
  let name: String
  let lua: String
  let swift: @Sendable (Stage) throws -> Signal<String>

  init(_ name: String, _ lua: String, _ swift: @escaping @Sendable (Stage) throws -> Signal<String>)
  {
    self.name = name
    self.lua = lua
    self.swift = swift
  }

  var testDescription: String { lua }

  static let all =
    construction + transforming + truths + flattening + combining + limiting + errors + effects
    + multicasting + scheduling

  private static let construction = [
    Face("rac.just", "rac.just('a')") { _ in .just("a") },
    Face("rac.empty", "rac.empty()") { _ in .empty() },
    Face("rac.never", "rac.never()") { _ in .never() },
    Face("rac.error", "rac.error('e')") { _ in .error(MarbleError.failure) },
    Face("rac.from", "rac.from{'a', 'b'}") { _ in .from(["a", "b"]) },
    Face("rac.from", "rac.from({'a', 'b'}, rac.scheduler.main)") {
      .from(["a", "b"], on: $0.scheduler)
    },
    Face("rac.defer", "rac.defer(function() note('made') return cold('a-b|') end)") { stage in
      let source = try stage.cold("a-b|")
      return .defer {
        stage.note("made")
        return source
      }
    },
    Face("rac.try", "rac.try(function() return 'a' end)") { _ in .try { "a" } },
    Face("rac.try", "rac.try(function() error('e', 0) end)") { _ in
      .try { throw MarbleError.failure }
    },
    Face(
      "rac.create",
      "rac.create(function(s) s:send_next('a') s:send_completed() s:send_next('b') return function() note('gone') end end)"
    ) { stage in
      .create { subscriber in
        subscriber.sendNext("a")
        subscriber.sendCompleted()
        subscriber.sendNext("b")
        return ActionDisposable { stage.note("gone") }
      }
    },
    Face(
      "rac.start_eagerly",
      "rac.start_eagerly(function(s) note('started') s:send_next('a') s:send_completed() end)"
    ) { stage in
      .startEagerly(on: stage.scheduler) {
        stage.note("started")
        $0.sendNext("a")
        $0.sendCompleted()
      }
    },
    Face("rac.timer", "rac.timer(2):map_replace('x')") {
      Signal.timer(after: .seconds(2), on: $0.scheduler).mapReplace("x")
    },
    Face("rac.interval", "rac.interval(2):map_replace('x'):take(2)") {
      Signal.interval(.seconds(2), on: $0.scheduler).mapReplace("x").take(2)
    },
  ]

  private static let transforming = [
    Face("signal:map", "cold('-a-b|'):map(function(v) return v .. v end)") {
      try $0.cold("-a-b|").map { $0 + $0 }
    },
    Face("signal:map_replace", "cold('-a-#'):map_replace('x')") {
      try $0.cold("-a-#").mapReplace("x")
    },
    Face("signal:filter", "cold('-a-b|'):filter(function(v) return v ~= 'a' end)") {
      try $0.cold("-a-b|").filter { $0 != "a" }
    },
    Face("signal:ignore", "cold('-a-b|'):ignore('a')") { try $0.cold("-a-b|").ignore("a") },
    Face("signal:ignore_values", "cold('-a-b|'):ignore_values()") {
      try $0.cold("-a-b|").ignoreValues()
    },
    Face("signal:scan", "cold('-a-b|'):scan('s', function(r, v) return r .. v end)") {
      try $0.cold("-a-b|").scan("s") { $0 + $1 }
    },
    Face("signal:aggregate", "cold('-a-b|'):aggregate('s', function(r, v) return r .. v end)") {
      try $0.cold("-a-b|").aggregate("s") { $0 + $1 }
    },
    Face("signal:aggregate", "cold('-a#'):aggregate('s', function(r, v) return r .. v end)") {
      try $0.cold("-a#").aggregate("s") { $0 + $1 }
    },
    Face(
      "signal:aggregate_with",
      "cold('-a|'):aggregate_with(function() note('made') return 's' end, function(r, v) return r .. v end)"
    ) { stage in
      try stage.cold("-a|").aggregate(makeSeed: {
        stage.note("made")
        return "s"
      }) { $0 + $1 }
    },
    Face(
      "signal:combine_previous",
      "cold('-a-b|'):combine_previous('s', function(p, v) return p .. v end)"
    ) { try $0.cold("-a-b|").combinePrevious("s") { $0 + $1 } },
    Face("signal:collect", "cold('-a-b|'):collect()") { try $0.cold("-a-b|").collect().texts() },
    Face("signal:collect", "rac.empty():collect()") { _ in Signal<String>.empty().collect().texts()
    },
    Face("signal:count", "cold('-a-b|'):count()") { try $0.cold("-a-b|").count().texts() },
    Face(
      "signal:reduce_each",
      "rac.zip(cold('-a-b|'), cold('c-d|')):reduce_each(function(a, b) return a .. b end)"
    ) { Signal.zip(try $0.cold("-a-b|"), try $0.cold("c-d|")).reduceEach { $0 + $1 } },
    Face("signal:buffer", "cold('-ab---c|'):buffer(2.5)") {
      try $0.cold("-ab---c|").buffer(.milliseconds(2_500), on: $0.scheduler).texts()
    },
    Face("signal:materialize", "cold('-a#'):materialize():map(function(e) return e.kind end)") {
      try $0.cold("-a#").materialize().map { $0.value == nil ? "error" : "next" }
    },
    Face(
      "signal:dematerialize",
      "rac.from{{kind = 'next', value = 'a'}, {kind = 'completed'}}:dematerialize()"
    ) { _ in Signal.from([Event.next("a"), .completed]).dematerialize() },
  ]

  private static let truths = [
    Face("signal:negate", "rac.from{true, false}:negate()") { _ in
      Signal.from([true, false]).not().texts()
    },
    Face(
      "signal:all_true", "rac.combine_latest(rac.just(true), rac.from{false, true}):all_true()"
    ) { _ in Signal.combineLatest(.just(true), .from([false, true])).and().texts() },
    Face(
      "signal:any_true", "rac.combine_latest(rac.just(false), rac.from{false, true}):any_true()"
    ) { _ in Signal.combineLatest(.just(false), .from([false, true])).or().texts() },
    Face("signal:any", "cold('-a-b|'):any()") { try $0.cold("-a-b|").any().texts() },
    Face("signal:any", "rac.empty():any()") { _ in Signal<String>.empty().any().texts() },
    Face("signal:any", "cold('-a-b|'):any(function(v) return v == 'b' end)") {
      try $0.cold("-a-b|").any { $0 == "b" }.texts()
    },
    Face("signal:all", "cold('-a-b-c|'):all(function(v) return v == 'a' end)") {
      try $0.cold("-a-b-c|").all { $0 == "a" }.texts()
    },
    Face("signal:all", "cold('-a#'):all(function(v) return v == 'a' end)") {
      try $0.cold("-a#").all { $0 == "a" }.texts()
    },
  ]

  private static let flattening = [
    Face(
      "signal:flat_map",
      "cold('-a-b|'):flat_map(function(v) return cold('x--y|'):map_replace(v) end)"
    ) { stage in
      let inner = try stage.cold("x--y|")
      return try stage.cold("-a-b|").flatMap { inner.mapReplace($0) }
    },
    Face(
      "signal:bind",
      "cold('-a-b-c|'):bind(function() return function(v) return cold('x--y|'):map_replace(v), v == 'b' end end)"
    ) { stage in
      let inner = try stage.cold("x--y|")
      return try stage.cold("-a-b-c|").bind {
        { value, stop in
          stop = value == "b"
          return inner.mapReplace(value)
        }
      }
    },
    Face("signal:flatten", "\(luaNested):flatten()") { try $0.nested().flatten() },
    Face("signal:flatten", "\(luaNested):flatten(0)") { try $0.nested().flatten(0) },
    Face("signal:flatten", "\(luaNested):flatten(1)") { try $0.nested().flatten(1) },
    Face("signal:switch_to_latest", "\(luaNested):switch_to_latest()") {
      try $0.nested().switchToLatest()
    },
    Face("signal:concat", "\(luaNested):concat()") { try $0.nested().concat() },
    Face("signal:merge", "\(luaNested):merge()") { try $0.nested().merge() },
    Face("signal:concat", "cold('-a|'):concat(cold('-b|'))") {
      try $0.cold("-a|").concat($0.cold("-b|"))
    },
    Face("signal:merge", "cold('-a--#'):merge(cold('--b|'))") {
      try $0.cold("-a--#").merge($0.cold("--b|"))
    },
    Face(
      "signal:group_by",
      "cold('-a-b-a|'):group_by(function(v) return v end):flat_map(function(g) return g:map(function(v) return g.key .. v end) end)"
    ) {
      try $0.cold("-a-b-a|").groupBy { $0 }.flatMap { group in group.map { group.key + $0 } }
    },
  ]

  private static let luaNested =
    "cold('-a-b|'):map(function(v) return cold('x--y|'):map(function(w) return v .. w end) end)"

  private static let combining = [
    Face("rac.merge", "rac.merge(cold('-a--|'), cold('--b|'))") {
      .merge([try $0.cold("-a--|"), try $0.cold("--b|")])
    },
    Face("rac.concat", "rac.concat(cold('-a|'), cold('-b|'))") {
      .concat([try $0.cold("-a|"), try $0.cold("-b|")])
    },
    Face("rac.combine_latest", "rac.combine_latest()") { _ in
      Signal.combineLatest([Signal<String>]()).texts()
    },
    Face(
      "rac.combine_latest",
      "rac.combine_latest(cold('-a---b|'), cold('--c|'), function(a, b) return a .. b end)"
    ) { .combineLatest(try $0.cold("-a---b|"), try $0.cold("--c|"), reduce: { $0 + $1 }) },
    Face(
      "rac.zip", "rac.zip(cold('-a-b--|'), cold('--c-d|'), function(a, b) return a .. b end)"
    ) { .zip(try $0.cold("-a-b--|"), try $0.cold("--c-d|"), reduce: { $0 + $1 }) },
    Face(
      "signal:combine_latest",
      "cold('-a---b|'):combine_latest(cold('--c|')):reduce_each(function(a, b) return a .. b end)"
    ) { try $0.cold("-a---b|").combineLatest(with: $0.cold("--c|")).map { $0.0 + $0.1 } },
    Face(
      "signal:zip",
      "cold('-a-b|'):zip(cold('--c|')):reduce_each(function(a, b) return a .. b end)"
    ) { try $0.cold("-a-b|").zip(with: $0.cold("--c|")).map { $0.0 + $0.1 } },
    Face("signal:start_with", "cold('-a|'):start_with('s')") { try $0.cold("-a|").startWith("s") },
    Face("signal:and_then", "cold('-a|'):and_then(cold('-b|'))") { stage in
      let next = try stage.cold("-b|")
      return try stage.cold("-a|").then { next }
    },
    Face("signal:and_then", "cold('-a#'):and_then(function() return cold('-b|') end)") { stage in
      let next = try stage.cold("-b|")
      return try stage.cold("-a#").then { next }
    },
    Face("signal:sample", "cold('-a--b-|'):sample(cold('x-xx--x'))") {
      try $0.cold("-a--b-|").sample($0.cold("x-xx--x"))
    },
    Face("rac.when", "rac.when(\(luaTruths), cold('a-b-c|'), cold('x-y|'))") {
      .if(try $0.truths(), then: try $0.cold("a-b-c|"), else: try $0.cold("x-y|"))
    },
    Face("signal:when", "\(luaTruths):when(cold('a-b-c|'), cold('x-y|'))") {
      .if(try $0.truths(), then: try $0.cold("a-b-c|"), else: try $0.cold("x-y|"))
    },
    Face("rac.switch", "rac.switch(cold('-a---z|'), {a = cold('1-2-3|')}, cold('4-5|'))") {
      .switch(
        try $0.cold("-a---z|"), cases: ["a": try $0.cold("1-2-3|")], default: try $0.cold("4-5|"))
    },
    Face("signal:switch", "cold('-a---z|'):switch({a = cold('1-2-3|')}, cold('4-5|'))") {
      .switch(
        try $0.cold("-a---z|"), cases: ["a": try $0.cold("1-2-3|")], default: try $0.cold("4-5|"))
    },
  ]

  private static let luaTruths = "cold('-t---f|'):map(function(v) return v == 't' end)"

  private static let limiting = [
    Face("signal:take", "cold('-a-b-c|'):take(2)") { try $0.cold("-a-b-c|").take(2) },
    Face("signal:take", "cold('-a|'):take(0)") { try $0.cold("-a|").take(0) },
    Face("signal:take_last", "cold('-a-b-c|'):take_last(2)") {
      try $0.cold("-a-b-c|").takeLast(2)
    },
    Face("signal:take_while", "cold('-a-b-a|'):take_while(function(v) return v == 'a' end)") {
      try $0.cold("-a-b-a|").takeWhile { $0 == "a" }
    },
    Face("signal:take_until", "cold('-a-b-a|'):take_until(function(v) return v == 'b' end)") {
      try $0.cold("-a-b-a|").takeUntil { $0 == "b" }
    },
    Face("signal:take_until", "cold('-a-b-a|'):take_until(cold('--|'))") {
      try $0.cold("-a-b-a|").takeUntil($0.cold("--|"))
    },
    Face("signal:take_until", "cold('-a-b-a|'):take_until(cold('--#'))") {
      try $0.cold("-a-b-a|").takeUntil($0.cold("--#"))
    },
    Face(
      "signal:take_until_replacement", "cold('-a-b-a|'):take_until_replacement(cold('--x---y|'))"
    ) {
      try $0.cold("-a-b-a|").takeUntilReplacement($0.cold("--x---y|"))
    },
    Face("signal:skip", "cold('-a-b|'):skip(1)") { try $0.cold("-a-b|").skip(1) },
    Face("signal:skip_while", "cold('-a-b-a|'):skip_while(function(v) return v == 'a' end)") {
      try $0.cold("-a-b-a|").skipWhile { $0 == "a" }
    },
    Face("signal:skip_until", "cold('-a-b-a|'):skip_until(function(v) return v == 'b' end)") {
      try $0.cold("-a-b-a|").skipUntil { $0 == "b" }
    },
    Face("signal:distinct_until_changed", "cold('aab-b-a|'):distinct_until_changed()") {
      try $0.cold("aab-b-a|").distinctUntilChanged()
    },
    Face(
      "signal:distinct_until_changed",
      "cold('aab|'):distinct_until_changed(function() return true end)"
    ) { try $0.cold("aab|").distinctUntilChanged { _, _ in true } },
    Face("signal:throttle", "cold('abc---d|'):throttle(1.5)") {
      try $0.cold("abc---d|").throttle(.milliseconds(1_500), on: $0.scheduler)
    },
    Face("signal:throttle", "cold('abc---d#'):throttle(1.5, function(v) return v == 'b' end)") {
      try $0.cold("abc---d#").throttle(
        .milliseconds(1_500), on: $0.scheduler, valuesPassingTest: { $0 == "b" })
    },
    Face("signal:delay", "cold('-a-b|'):delay(1.5)") {
      try $0.cold("-a-b|").delay(.milliseconds(1_500), on: $0.scheduler)
    },
    Face("signal:delay", "cold('-a-#'):delay(2.5)") {
      try $0.cold("-a-#").delay(.milliseconds(2_500), on: $0.scheduler)
    },
    Face("signal:timeout", "cold('-a-b-c|'):timeout(3.5)") {
      try $0.cold("-a-b-c|").timeout(.milliseconds(3_500), on: $0.scheduler)
    },
  ]

  private static let errors = [
    Face("signal:catch", "cold('-a#'):catch(function() return cold('-b|') end)") { stage in
      let next = try stage.cold("-b|")
      return try stage.cold("-a#").catch { _ in next }
    },
    Face("signal:catch_to", "cold('-a#'):catch_to(cold('-b|'))") {
      try $0.cold("-a#").catchTo($0.cold("-b|"))
    },
    Face("signal:retry", "cold('-a#'):retry(1)") { try $0.cold("-a#").retry(1) },
    Face("signal:retry", "cold('-a#'):retry(0):take(3)") { try $0.cold("-a#").retry(0).take(3) },
    Face("signal:retry", "cold('-a#'):retry():take(3)") { try $0.cold("-a#").retry().take(3) },
    Face("signal:repeated", "cold('-a|'):repeated():take(3)") {
      try $0.cold("-a|").repeat().take(3)
    },
    Face("signal:repeated", "cold('-a#'):repeated()") { try $0.cold("-a#").repeat() },
    Face("signal:try", "cold('-a-b|'):try(function(v) return v == 'a' end)") {
      try $0.cold("-a-b|").try { if $0 != "a" { throw MarbleError.failure } }
    },
    Face(
      "signal:try_map",
      "cold('-a-b|'):try_map(function(v) if v == 'a' then return 'x' end error('e') end)"
    ) {
      try $0.cold("-a-b|").tryMap {
        guard $0 == "a" else { throw MarbleError.failure }
        return "x"
      }
    },
  ]

  private static let effects = [
    Face("signal:initially", "cold('-a|'):initially(function() note('begin') end)") { stage in
      try stage.cold("-a|").initially { stage.note("begin") }
    },
    Face("signal:do_next", "cold('-a|'):do_next(note)") { stage in
      try stage.cold("-a|").doNext { stage.note($0) }
    },
    Face("signal:do_error", "cold('-a#'):do_error(function() note('error') end)") { stage in
      try stage.cold("-a#").doError { _ in stage.note("error") }
    },
    Face("signal:do_completed", "cold('-a|'):do_completed(function() note('over') end)") { stage in
      try stage.cold("-a|").doCompleted { stage.note("over") }
    },
    Face("signal:finally", "cold('-a#'):finally(function() note('over') end)") { stage in
      try stage.cold("-a#").finally { stage.note("over") }
    },
    Face("signal:on_dispose", "cold('-a|'):on_dispose(function() note('gone') end)") { stage in
      try stage.cold("-a|").onDispose { stage.note("gone") }
    },
    Face("signal:on_dispose", "cold('-a-b-c'):on_dispose(function() note('gone') end):take(2)") {
      stage in
      try stage.cold("-a-b-c").onDispose { stage.note("gone") }.take(2)
    },
    Face("signal:named", "cold('-a|'):named('n')") { try $0.cold("-a|").named("n") },
  ]

  private static let multicasting = [
    Face("signal:publish", "cold('-a-b-c|'):publish():autoconnect()") {
      try $0.cold("-a-b-c|").publish().autoconnect()
    },
    Face("signal:multicast", "cold('-a-b-c|'):multicast(rac.replay_subject(1)):autoconnect()") {
      try $0.cold("-a-b-c|").multicast(ReplaySubject(capacity: 1)).autoconnect()
    },
    Face("signal:replay", "cold('-a-b-c|'):replay()") { try $0.cold("-a-b-c|").replay() },
    Face("signal:replay_last", "cold('-a-b-c|'):replay_last()") {
      try $0.cold("-a-b-c|").replayLast()
    },
    Face("signal:replay_lazily", "cold('-a-b-c|'):replay_lazily()") {
      try $0.cold("-a-b-c|").replayLazily()
    },
    Face("signal:share", "cold('-a-b-c|'):share()") { try $0.cold("-a-b-c|").share() },
    Face("signal:share", "cold('-a|'):share()") { try $0.cold("-a|").share() },
  ]

  private static let scheduling = [
    Face("signal:deliver_on", "cold('-a-b|'):deliver_on(rac.scheduler.main)") {
      try $0.cold("-a-b|").deliverOn($0.scheduler)
    },
    Face("signal:subscribe_on", "cold('-a-b|'):subscribe_on(rac.scheduler.main)") {
      try $0.cold("-a-b|").subscribeOn($0.scheduler)
    },
  ]
}

extension Face.Stage {
  fileprivate func nested() throws -> Signal<Signal<String>> {
    let inner = try cold("x--y|")
    return try cold("-a-b|").map { outer in inner.map { outer + $0 } }
  }

  fileprivate func truths() throws -> Signal<Bool> {
    try cold("-t---f|").map { $0 == "t" }
  }
}

extension Signal {
  fileprivate func texts() -> Signal<String> { map { "\($0)" } }
}

extension Signal where Value == [String] {
  fileprivate func texts() -> Signal<String> { map { "[\($0.joined(separator: ","))]" } }
}
