-- A program in Python: its tests run, and its archive is made, when the code, the tests or Python
-- itself have changed. Needs python3.
--   raclette run archive && python3 dist/greeting.pyz
local rac = require "rac"

local function python() return rac.exec{"python3", "--version"} end

rac.command {
  name = "test",
  summary = "Run the tests",
  sources = {"greeting/**/*.py", "tests/**/*.py"},
  fingerprint = python,
  env = {PYTHONDONTWRITEBYTECODE = "1"},
  run = function()
    return rac.exec{"python3", "-m", "unittest", "-q", stderr = "merge"}
      :filter(function(line) return line:find("^Ran %d+ test") end)
      :map(function(line) return (line:gsub(" in .*", "")) end)
  end,
}

rac.command {
  name = "archive",
  summary = "Make an archive that Python executes",
  needs = {"test"},
  sources = {"greeting/**/*.py"},
  outputs = {"dist/greeting.pyz"},
  fingerprint = python,
  run = function()
    rac.sh([[rm -rf dist/staged && mkdir -p dist/staged && cp -R greeting dist/staged/]]):wait()
    rac.exec{
      "python3", "-m", "zipapp", "dist/staged", "-m", "greeting.main:main",
      "-o", "dist/greeting.pyz",
    }:wait()
    return "made dist/greeting.pyz"
  end,
}
