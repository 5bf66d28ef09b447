-- Sends the requests of a file in turn, each second event with a message id that was never used before.
local requests = {}
local at = 0
local count = 0
local prefix

function init(args)
  local file, nonce, mark = args[1], args[2], args[3]
  prefix = nonce
  for line in io.lines(file) do
    local project, path, body = line:match("^(%d)\t([^\t]+)\t(.+)$")
    local key = args[4 + tonumber(project)] or args[4]
    local headers = { ["Content-Type"] = "application/json", ["x-api-key"] = key }
    local whole = wrk.format("POST", path, headers, body)
    local from, to = whole:find(mark, 1, true)
    if from then
      requests[#requests + 1] = { whole:sub(1, from - 1), whole:sub(to + 1) }
    else
      requests[#requests + 1] = { whole }
    end
  end
end

function request()
  at = at % #requests + 1
  local one = requests[at]
  if not one[2] then return one[1] end
  count = count + 1
  return one[1] .. prefix .. string.format("%012d", count) .. one[2]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"refused":%d,"broken":%d,"durationUs":%d,"p50Us":%f,"p95Us":%f,"p99Us":%f}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
