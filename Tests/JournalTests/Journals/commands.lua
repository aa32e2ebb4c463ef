-- The commands of the plan, whose executions the journals in this folder hold.
rac.command {
  name = "compile", params = {{name = "file"}},
  run = function(input) return rac.sh("echo compiled " .. input.file) end,
}
rac.command {name = "fail", run = function() return rac.sh("echo why >&2; exit 3") end}
