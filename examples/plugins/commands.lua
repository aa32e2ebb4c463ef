-- Commands that plugins make short: one over git, one over LPeg, which is written in C, and Penlight
-- as its authors wrote it. `require` finds the first two in .raclette/plugins beside this file, the
-- others where Lua 5.4 looks (Debian: lua-lpeg and lua-penlight).
--   raclette run slow
local rac = require "rac"
local git = require "git"
local key_values = require "key_values"
local tablex = require "pl.tablex"

local function requests(log) return key_values(rac.exec{"cat", log}) end

rac.command {
  name = "slow",
  summary = "List the slow requests of the log",
  params = {{name = "than", type = "integer", default = 500, help = "milliseconds"}},
  run = function(input)
    return requests("requests.log")
      :filter(function(request) return tonumber(request.ms) > input.than end)
      :map(function(request) return ("%5d ms  %s"):format(request.ms, request.path) end)
  end,
}

rac.command {
  name = "paths",
  summary = "Count the requests of each path, the most wanted first",
  run = function(_, emit)
    local counts = requests("requests.log"):aggregate({}, function(counts, request)
      counts[request.path] = (counts[request.path] or 0) + 1
      return counts
    end):first()
    for path, count in tablex.sortv(counts, function(a, b) return a > b end) do
      emit(("%3d %s"):format(count, path))
    end
  end,
}

rac.command {
  name = "authors",
  summary = "List who has worked on this example",
  run = function()
    return git.log("."):map(function(commit) return commit.author end):distinct_until_changed()
  end,
}
