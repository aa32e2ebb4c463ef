/// What stands at a path, as far as patterns distinguish it.
enum GlobEntry {
  case file
  case folder
  case linkToFolder
}

/// How far each of several patterns has matched the folders on the way to an entry.
///
/// All patterns advance together, as one automaton, so that a tree is walked once.
struct GlobStates {
  private struct State: Equatable {
    /// The index of the pattern.
    var pattern: Int
    /// The next segment to match; `segments.count` at what the pattern matches, and one more below
    /// it.
    var segment: Int
  }

  private let patterns: [GlobPattern]
  private var states: [State]

  /// The states at the folder where the patterns begin.
  init(_ patterns: [GlobPattern], isAbsolute: Bool) {
    self.patterns = patterns
    states = []
    for (index, pattern) in patterns.enumerated() where pattern.isAbsolute == isAbsolute {
      insert(State(pattern: index, segment: 0), into: &states)
    }
  }

  private init(_ patterns: [GlobPattern], _ states: [State]) {
    (self.patterns, self.states) = (patterns, states)
  }

  /// True if nothing below can match.
  var isDead: Bool {
    var lastInclude = -1
    var lastExclusion = -1
    for state in states {
      let pattern = patterns[state.pattern]
      if !pattern.isExclude {
        lastInclude = max(lastInclude, state.pattern)
      } else if state.segment >= pattern.segments.count {
        lastExclusion = max(lastExclusion, state.pattern)
      }
    }
    return lastInclude <= lastExclusion
  }

  /// The names that come next if none of the patterns has a wildcard there.
  var onlyNames: [[UInt8]]? {
    var names: [[UInt8]] = []
    for state in states {
      let pattern = patterns[state.pattern]
      // What excludes need not be looked for.
      if pattern.isExclude { continue }
      guard state.segment < pattern.segments.count,
        case .name(let name) = pattern.segments[state.segment]
      else { return nil }
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// True if a pattern continues in the parent folder, which no list of names contains.
  var continuesUpwards: Bool {
    states.contains {
      let pattern = patterns[$0.pattern]
      return !pattern.isExclude && $0.segment < pattern.segments.count
        && pattern.segments[$0.segment] == .name(Array("..".utf8))
    }
  }

  /// Returns true if an entry of the folder matches: the last pattern that matches it decides.
  func matches(_ name: UnsafeRawBufferPointer, _ entry: GlobEntry) -> Bool {
    var last = -1
    for state in states where state.pattern > last {
      advance(state, name, entry) { next in
        if isMatch(next, entry) { last = max(last, state.pattern) }
      }
    }
    return last >= 0 && !patterns[last].isExclude
  }

  /// The states in a folder that is an entry of this one.
  func entering(_ name: UnsafeRawBufferPointer, _ entry: GlobEntry) -> GlobStates {
    var next: [State] = []
    for state in states {
      advance(state, name, entry) { inner in
        let pattern = patterns[inner.pattern]
        // Links inside a folder whose contents are taken may lead upwards, and so round in circles.
        let isInside = inner.segment > pattern.segments.count && !pattern.isExclude
        if !isInside || entry == .folder { insert(inner, into: &next) }
      }
    }
    return GlobStates(patterns, next)
  }

  private func isMatch(_ state: State, _ entry: GlobEntry) -> Bool {
    let pattern = patterns[state.pattern]
    if state.segment < pattern.segments.count { return false }
    if state.segment > pattern.segments.count || pattern.isExclude && entry != .file { return true }
    switch entry {
    case .file: return !pattern.isFolderOnly
    case .folder: return false
    // A link is listed itself, unless its folder's contents are.
    case .linkToFolder: return !pattern.takesContents
    }
  }

  /// Passes the states behind an entry to `body`.
  private func advance(
    _ state: State, _ name: UnsafeRawBufferPointer, _ entry: GlobEntry, _ body: (State) -> Void
  ) {
    let pattern = patterns[state.pattern]
    let isHidden =
      !pattern.matchesHidden
      && (state.segment < pattern.hiddenFrom
        ? name.first == UInt8(ascii: ".") : Glob.isLeftOut(name))
    var next = state
    guard state.segment < pattern.segments.count else {
      guard pattern.takesContents, !isHidden else { return }
      next.segment = pattern.segments.count + 1
      return body(next)
    }
    let segment = pattern.segments[state.segment]
    switch segment {
    case .folders:
      // As for links inside a folder whose contents are taken.
      if !isHidden, entry == .folder || pattern.isExclude { body(next) }
    case .name, .wildcard:
      guard !isHidden || segment.namesHidden, segment.matches(name) else { return }
      next.segment += 1
      body(next)
    }
  }

  /// Inserts a state, and those that it reaches without a folder.
  private func insert(_ state: State, into states: inout [State]) {
    var state = state
    while true {
      if states.contains(state) { return }
      states.append(state)
      let segments = patterns[state.pattern].segments
      guard state.segment < segments.count, segments[state.segment] == .folders else { return }
      state.segment += 1
    }
  }
}
