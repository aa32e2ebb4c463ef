-- What git knows, as signals.
local rac = require "rac"
local git = {}

-- The commits that touch a path, newest first, as {id =, author =, subject =}.
function git.log(path)
  return rac.exec{"git", "log", "--format=%h%x09%an%x09%s", "--", path}:map(function(line)
    local id, author, subject = line:match("^(%S+)\t(.-)\t(.*)$")
    return {id = id, author = author, subject = subject}
  end)
end

-- The files that differ from the last commit, as {status =, path =}.
function git.changes()
  return rac.exec{"git", "status", "--porcelain"}:map(function(line)
    return {status = line:sub(1, 2), path = line:sub(4)}
  end)
end

return git
