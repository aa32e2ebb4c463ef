import Platform
import Testing

/// Two checkouts of a project whose `build` makes `out` of `src`, and a store that they share.
struct CachedProject {
  let folder: Folder

  /// - Parameters:
  ///   - fields: what the definition of `build` says beside name, `cache`, sources, outputs and `run`.
  ///   - more: other definitions.
  init(
    outputs: String = #""out""#, fields: String = "",
    run: String = "cat src >out; echo made; echo warned >&2", more: String = ""
  ) {
    folder = Folder(["one/src": "first", "two/src": "first"])
    for name in ["one", "two"] {
      folder.write(
        """
        rac.command{name = "build", cache = true, sources = "src", outputs = {\(outputs)}, \(fields)
          run = [[\(run)]]}
        \(more)
        """, to: "\(name)/commands.lua")
    }
  }

  var environment: [String: String] { ["XDG_CACHE_HOME": folder["cache"]] }

  /// Runs raclette in a checkout, and masks times.
  func run(
    _ words: String..., in checkout: String = "one", with more: [String: String] = [:]
  ) async -> (output: String, errors: String, status: Int32?) {
    let launch = Launch(
      arguments: words, folder: folder[checkout],
      environment: environment.merging(more) { $1 })
    let run = await onThread { Running(launch).finish() }
    return (Self.masked(run.output), Self.masked(run.errors), run.status)
  }

  /// A text with `TIME` for the time that was saved, or that a result took.
  private static func masked(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      for start in ["in place of ", "which took "] {
        if let range = line.firstRange(of: start) {
          return line[..<range.upperBound] + "TIME"
            + line[range.upperBound...].drop { $0 != "," && $0 != ")" }
        }
      }
      return String(line)
    }.joined(separator: "\n")
  }

  func content(_ name: String) -> String? {
    fileContent(folder[name]).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The paths of the files below a folder of the store.
  func stored(_ kind: String) -> [String] {
    let above = folder["cache/raclette/results/\(kind)"]
    return (names(inFolder: above) ?? []).flatMap { part in
      (names(inFolder: "\(above)/\(part)") ?? []).map { "\(above)/\(part)/\($0)" }
    }.sorted()
  }
}

let restored = "raclette: build is restored from the cache in place of TIME\n"

extension Folder {
  /// Makes `kill.so`, which kills a program at the call that `KILL_AT` counts: of those that write or
  /// rename.
  ///
  /// - Returns: false if there is no compiler.
  func compileKilling() async -> Bool {
    write(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <signal.h>
      #include <stdlib.h>
      #include <unistd.h>
      static void count(void) {
        static int left = -1;
        if (left < 0) left = atoi(getenv("KILL_AT"));
        if (--left == 0) raise(SIGKILL);
      }
      ssize_t pwrite(int file, const void *bytes, size_t count_, off_t place) {
        count();
        return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(
            file, bytes, count_, place);
      }
      int rename(const char *old, const char *new) {
        count();
        return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(old, new);
      }
      int renameat(int from, const char *old, int to, const char *new) {
        count();
        return ((int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat"))(
            from, old, to, new);
      }
      """, to: "kill.c")
    return await shell("cc -shared -fPIC -o kill.so kill.c", in: self).status == 0
  }
}
