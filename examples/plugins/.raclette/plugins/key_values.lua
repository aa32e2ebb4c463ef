-- Lines of the form key=value key="a value" as tables, by LPeg, a module written in C.
local lpeg = require "lpeg"
local P, R, C, Cf, Cg, Ct = lpeg.P, lpeg.R, lpeg.C, lpeg.Cf, lpeg.Cg, lpeg.Ct

local key = C(R("az", "AZ", "__")^1)
local value = P'"' * C((1 - P'"')^0) * P'"' + C((1 - P" ")^0)
local line = Cf(Ct("") * (Cg(key * P"=" * value) * P" "^0)^1, rawset) * -1

-- Turns a signal of lines into one of tables; a line of another form is an error.
return function(lines)
  return lines:try_map(function(text)
    return line:match(text), "not key=value: " .. text
  end)
end
