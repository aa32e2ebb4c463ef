-- A program in C: each file is compiled when it, a header that it includes, the compiler or its flags
-- have changed, and the program is linked when an object file has. Needs cc.
--   raclette run app && build/app
local rac = require "rac"

local flags = {"-O1", "-Wall"}

local function object(input) return "build/" .. input.file:gsub("/", "_"):gsub("%.c$", ".o") end
local function depfile(input) return object(input) .. ".d" end

rac.command {
  name = "compile",
  summary = "Compile one file",
  params = {{name = "file", required = true}},
  concurrency = 4, when_busy = "queue",
  sources = function(input) return {input.file} end,
  outputs = function(input) return {object(input)} end,
  depfile = depfile,
  fingerprint = function() return rac.exec{"cc", "--version"}:take(1) end,
  run = function(input)
    local line = {"cc", "-MMD", "-MF", depfile(input), "-c", input.file, "-o", object(input)}
    for _, flag in ipairs(flags) do table.insert(line, 2, flag) end
    return rac.exec(line)
  end,
}

rac.command {
  name = "objects",
  summary = "Compile what has changed",
  run = function(_, emit)
    rac.exec{"mkdir", "-p", "build"}:wait()
    local executions = {}
    for _, file in ipairs(rac.glob("src/**/*.c")) do
      table.insert(executions, rac.commands.compile:execute{file = file})
    end
    rac.merge(table.unpack(executions)):wait()
    for _, execution in ipairs(executions) do
      if not execution.up_to_date then emit("compiled " .. execution.input.file) end
    end
  end,
}

rac.command {
  name = "app",
  summary = "Link the program",
  needs = {"objects"},
  sources = {"build/*.o"},
  outputs = {"build/app"},
  run = function()
    return rac.concat(
      rac.exec{"cc", "-o", "build/app", table.unpack(rac.glob("build/*.o"))},
      rac.just("linked build/app"))
  end,
}

rac.command {
  name = "clean",
  summary = "Remove all that was built",
  run = function() return rac.exec{"rm", "-rf", "build"} end,
}
