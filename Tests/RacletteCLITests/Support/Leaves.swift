import Platform
import TextFiles

/// A program `leaf` in a folder, which takes a while and notes from when to when it ran, so that tests
/// see how many ran at once. With words it executes these, too.
struct Leaves {
  private let folder: Folder

  init(in folder: Folder) async {
    self.folder = folder
    folder.write(Self.source, to: ".leaf/leaf.c")
    _ = await shell("cc -O1 -DNOTES='\"\(notes)\"' -o leaf .leaf/leaf.c", in: folder)
  }

  private var notes: String { folder[".leaf/notes"] }

  /// The times of those that have ended, in nanoseconds.
  private var times: [Range<Int>] {
    ((try? TextFile(notes).lines) ?? []).compactMap { line in
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      return numbers.count == 2 ? numbers[0]..<numbers[1] : nil
    }
  }

  /// The number of those that have ended.
  var count: Int { times.count }

  /// The most that ran at once.
  var mostAtOnce: Int {
    let times = times
    let changes = times.map { ($0.lowerBound, 1) } + times.map { ($0.upperBound, -1) }
    var (now, most) = (0, 0)
    for (_, change) in changes.sorted(by: { $0 < $1 }) {
      now += change
      most = max(most, now)
    }
    return most
  }

  private static let source = #"""
    #include <fcntl.h>
    #include <stdio.h>
    #include <sys/wait.h>
    #include <time.h>
    #include <unistd.h>

    static long long now(void) {
      struct timespec time;
      clock_gettime(CLOCK_MONOTONIC, &time);
      return time.tv_sec * 1000000000LL + time.tv_nsec;
    }

    int main(int count, char **words) {
      long long begun = now();
      int status = 0;
      usleep(30000);
      if (count > 1) {
        pid_t child = fork();
        if (child == 0) {
          execvp(words[1], words + 1);
          _exit(127);
        }
        waitpid(child, &status, 0);
      }
      char line[64];
      int length = snprintf(line, sizeof line, "%lld %lld\n", begun, now());
      int file = open(NOTES, O_WRONLY | O_APPEND | O_CREAT, 0644);
      return write(file, line, length) == length ? WEXITSTATUS(status) : 1;
    }

    """#
}
