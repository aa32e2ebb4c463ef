import Platform
import RunnerCore
import Scripting

/// The store of the results of cached commands.
enum CacheExamination {
  static var findings: [Finding] {
    let name = "results"
    let cache: ResultCache
    do throws(UsageError) {
      guard let found = try ResultCache.ofUser() else {
        return ResultCache.userFolder == nil
          ? [
            .warning(
              name, "none are kept: neither XDG_CACHE_HOME nor HOME is set", mend: "set HOME")
          ] : [.ok(name, "none are kept: there is no cache")]
      }
      cache = found
    } catch {
      let form = "set \(ResultCache.variable) to a size such as 20G"
      return [.problem(name, "\(error)", mend: form)]
    }
    let mendingPlace = "set XDG_CACHE_HOME to the full path of a folder that you own"
    let state = FileState(cache.folder)
    guard state.exists else {
      if let obstacle = state.obstacle {
        return [.warning(name, "none yet in \(cache.folder), and \(obstacle)", mend: mendingPlace)]
      }
      return [.ok(name, "none yet in \(cache.folder)")]
    }
    guard state.isFolder, state.isWritable else {
      let text =
        "\(cache.folder) is not a writable folder, so results are not stored"
      return [.warning(name, text, mend: mendingPlace)]
    }
    return [contents(of: cache)]
  }

  private static func contents(of cache: ResultCache) -> Finding {
    let measure = cache.measure()
    let size = "\(measure.size) of at most \(CacheMeasure.size(cache.bound))"
    let text = "\(measure.count), \(size) in \(cache.folder)"
    var problems: [String] = []
    if measure.damaged > 0 {
      problems.append("\(measure.damaged) damaged entries")
    }
    if measure.leftovers > 0 {
      problems.append("leftovers of \(measure.leftovers) killed programs")
    }
    guard !problems.isEmpty else { return .ok("results", text) }
    return .warning(
      "results", "\(text), with \(problems.joined(separator: " and "))",
      mend: "raclette prune --cache --older-than 90d")
  }
}
