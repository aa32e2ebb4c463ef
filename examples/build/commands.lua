-- Builds and checks the repository this file lies in: `raclette list`, `raclette run check`.
--
-- Commands run in the folder of their file; the repository is two folders up.
local rac = require "rac"

local root = "../.."

-- The paths that git knows and that match a pattern, as a list.
local function files(pattern)
  return rac.exec{"git", "ls-files", pattern, cwd = root}:to_table()
end

-- One check as a signal of one line: its name, the verdict, and the time it took. It fails with the
-- tool's own words.
local function check(name, argv)
  return rac.async(function()
    local started = rac.now()
    argv.cwd, argv.stderr = root, "merge"
    local said = {}
    local passed, failure = pcall(function()
      rac.exec(argv):map(function(line) said[#said + 1] = line end):wait()
    end)
    if not passed then
      error(("%s: %s\n%s"):format(name, failure, table.concat(said, "\n")), 0)
    end
    return ("%-8s ok  %5.1f s"):format(name, rac.now() - started)
  end)
end

rac.command {
  name = "check",
  summary = "Check the sources: format, shell and Lua syntax, C warnings",
  group = "quality",
  run = function()
    return rac.merge(
      check("swift", {"swift", "format", "lint", "--strict", "--parallel", "-r", "Sources", "Tests"}),
      check("c", {"cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
        "-ISources/CLuaShims/include", "-ISources/CSignals/include",
        "-I/usr/include/lua5.4",
        table.unpack(files("Sources/CLuaShims/*.c"))}),
      check("shell", {"sh", "-c", [[
          for f; do
            case ${f##*/} in *.sh) ;; *.*) continue ;; esac
            case $(head -n 1 "$f") in *python*) ;; *) sh -n "$f" || exit ;; esac
          done]], "sh", table.unpack(files("scripts/*"))}),
      check("lua", {"sh", "-c", 'for f; do luac5.4 -p -- "$f" || exit; done', "sh",
        table.unpack(files("examples/*.lua"))}))
  end,
}

rac.command {
  name = "build",
  summary = "Build the release executable",
  group = "build",
  params = {
    {name = "configuration", choices = {"debug", "release"}, default = "release",
      help = "how to compile"},
  },
  run = function(input)
    return rac.exec{"swift", "build", "-c", input.configuration, "--product", "raclette",
      cwd = root, stderr = "merge"}
  end,
}

rac.command {
  name = "count",
  summary = "Count the lines of each module, largest first",
  group = "quality",
  run = function()
    return rac.sh([[
      for module in Sources/*/; do
        printf '%6d %s\n' "$(git ls-files "$module" | xargs cat | wc -l)" "$module"
      done | sort -rn]], {cwd = root})
  end,
}
