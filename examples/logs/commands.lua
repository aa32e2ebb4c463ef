-- Reads a folder of compressed access logs, several at a time, while a live condition allows it:
--   raclette run report
-- Touch a file named PAUSE in the folder to hold the work back, remove it to go on.
local rac = require "rac"

local function exists(path)
  local file = io.open(path)
  return file ~= nil and file:close()
end

-- Asked at once and five times a second; a change takes effect while files wait in the queue.
local may_run = rac.merge(rac.just(0), rac.interval(0.2))
  :map(function() return not exists("access/PAUSE") end)

-- Totals of one file: requests, errors of the server, bytes sent.
local count = [[
  { requests++; bytes += $10; if ($9 >= 500) errors++ }
  END { print requests + 0, errors + 0, bytes + 0 }]]

local summarize = rac.command {
  name = "summarize",
  summary = "Count requests, server errors and bytes of one compressed log",
  params = {{name = "file", required = true, help = "a .log.gz file"}},
  enabled = may_run,
  concurrency = 4,
  when_busy = "queue",
  run = function(input)
    -- The file is unpacked first, so that a damaged one fails instead of counting by half.
    return rac.exec{"sh", "-c", 'log=$(gzip -dc "$1") && printf "%s\\n" "$log" | awk "$2"',
        "sh", input.file, count, stderr = "capture"}
      :map(function(line)
        local requests, errors, bytes = line:match("(%d+) (%d+) (%d+)")
        return {file = input.file, requests = tonumber(requests), errors = tonumber(errors),
          bytes = tonumber(bytes)}
      end)
  end,
}

-- Errors are a stream of their own: one bad file does not end the others.
summarize.errors:subscribe(function(failure)
  rac.log.warn((failure.stderr or failure.message):match("%S.*"))
end)

rac.command {
  name = "report",
  summary = "Summarize every log of the folder, and report the damaged ones",
  params = {{name = "folder", default = "access", help = "where the .log.gz files are"}},
  run = function(input, emit)
    -- An attempt while the condition is false would be rejected.
    if exists("access/PAUSE") then
      rac.log.info("waiting until access/PAUSE is removed")
      summarize.enabled:filter(function(enabled) return enabled end):first()
    end

    local running = {}
    for _, file in ipairs(rac.sh("ls -- *.gz", {cwd = input.folder}):to_table()) do
      running[#running + 1] = summarize:execute{file = input.folder .. "/" .. file}
    end

    local requests, errors, bytes, damaged = 0, 0, 0, 0
    for _, execution in ipairs(running) do
      local ok, total = pcall(execution.first, execution)
      if ok then
        emit(total)
        requests, errors, bytes =
          requests + total.requests, errors + total.errors, bytes + total.bytes
      else
        damaged = damaged + 1
      end
    end
    return ("%d requests, %d server errors, %.1f MB in %d files, %d damaged"):format(
      requests, errors, bytes / 1e6, #running - damaged, damaged)
  end,
}
