/// Tells files that change because they are loaded, so that one load would follow another without end, from
/// files that somebody edits while they are loaded.
struct SelfChanges {
  /// How long nobody has to have changed the files before a load that counts.
  static let pause = Duration.milliseconds(500)
  /// How often that is waited for, at most.
  static let mostPauses = 10

  /// The files that change whenever they are loaded.
  private(set) var files: Set<String> = []
  /// How many loads in a row files have changed in.
  private var changing = 0
  /// The files that have changed in each of the latest loads that count, and the number of these.
  private var suspects: (files: Set<String>, loads: Int) = ([], 0)

  /// True if the next load should begin when nobody changes the files, and should go to its end, to find out.
  var areLikely: Bool { changing >= 2 }

  /// A load was given up because files changed.
  mutating func abandoned() { changing += 1 }

  /// A load has gone to its end.
  ///
  /// - Parameters:
  ///   - changed: the files that have changed since they were read.
  ///   - isQuiet: true if nobody had changed them for a while when it began.
  /// - Returns: the files that turn out to be changed by loads: they have changed in three such loads in
  ///   a row.
  mutating func loaded(changing changed: Set<String>, afterQuiet isQuiet: Bool) -> Set<String> {
    let changed = changed.subtracting(files)
    changing = changed.isEmpty ? 0 : changing + 1
    guard isQuiet, !changed.isEmpty else {
      suspects = ([], 0)
      return []
    }
    let common = suspects.files.intersection(changed)
    suspects = common.isEmpty ? (changed, 1) : (common, suspects.loads + 1)
    guard suspects.loads >= 3 else { return [] }
    files.formUnion(common)
    suspects = ([], 0)
    if changed == common { changing = 0 }
    return common
  }
}
