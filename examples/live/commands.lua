-- Two commands to play with in a session: `raclette repl examples/live/commands.lua`.
local rac = require "rac"

rac.command {
  name = "serve",
  summary = "Answer requests until it is told to stop",
  run = function(_, emit)
    emit("listening")
    for request = 1, math.huge do
      rac.sleep(2)
      emit("GET /page/" .. request)
    end
  end,
}

rac.command {
  name = "build",
  summary = "Compile the pages of a site",
  params = {{name = "pages", type = "integer", default = 3, help = "how many there are"}},
  run = function(input, emit)
    for page = 1, input.pages do
      rac.sleep(0.1)
      emit("page " .. page)
    end
    return {pages = input.pages}
  end,
}
