-- Sends the requests of a file in turn; where one is marked it gets a random UUID, as SDKs send for message ids.
local requests = {}
local at = 0
local mark

function init(args)
  local file, seed = args[1], args[2]
  mark = args[3]
  math.randomseed(tonumber(seed))
  for line in io.lines(file) do
    local project, path, body = line:match("^(%d)\t([^\t]+)\t(.+)$")
    local key = args[4 + tonumber(project)] or args[4]
    local headers = { ["Content-Type"] = "application/json", ["x-api-key"] = key }
    local whole = wrk.format("POST", path, headers, body)
    local parts = {}
    local from = 1
    while true do
      local first, last = whole:find(mark, from, true)
      if not first then break end
      parts[#parts + 1] = whole:sub(from, first - 1)
      from = last + 1
    end
    parts[#parts + 1] = whole:sub(from)
    requests[#requests + 1] = parts
  end
end

local function uuid()
  local random = math.random
  return string.format("%04x%04x-%04x-4%03x-%04x-%04x%04x%04x", random(0, 65535), random(0, 65535), random(0, 65535),
    random(0, 4095), random(32768, 49151), random(0, 65535), random(0, 65535), random(0, 65535))
end

function request()
  at = at % #requests + 1
  local parts = requests[at]
  if #parts == 1 then return parts[1] end
  local out = { parts[1] }
  for part = 2, #parts do
    out[#out + 1] = uuid()
    out[#out + 1] = parts[part]
  end
  return table.concat(out)
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"refused":%d,"broken":%d,"durationUs":%d,"p50Us":%f,"p95Us":%f,"p99Us":%f}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
