-- pace
-- Let a request to GitHub go, or hear what came of it: the arithmetic of reactor/pace.py.
--
-- KEYS  pace, asked
-- ARGV  kept_ms (how long both keys live), id of the request, then
--       'turn', 1 where a person asked for it, patience, most at once, pause while there are so
--       many, share of the hour that is kept, longest life of a request, longest promise,
--       then of each bucket its name, need, slack
--       'told', limit, remaining, reset, reset in (each '' where it is not said), seconds of one
--       window, stop ('' for none), longest stop, how long after a stop another one comes soon,
--       most strikes
-- Gives of 'turn' {1 where it goes, wait, why}, of 'told' how long everybody stops.
--
-- Lengths are microseconds, moments the same since 1970 by the clock of the server.  Where that
-- has gone back, every moment goes back with it.  Safe to repeat: a request that goes is told so
-- again, and one stop is not counted twice while it lasts.

local budget, running = KEYS[1], KEYS[2]
local kept_ms, id, verb = unpack(ARGV, 1, 3)
local NUMBERS = {'seen', 'stopped', 'strikes', 'limit', 'reset', 'reset_at', 'promised'}

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local b, ahead = {remaining = -1}, {}
for _, name in ipairs(NUMBERS) do
  b[name] = 0
end
local found = redis.call('HGETALL', budget)
for at = 1, #found, 2 do
  local bucket = string.match(found[at], '^ahead:(.+)$')
  if bucket then
    ahead[bucket] = tonumber(found[at + 1])
  else
    b[found[at]] = tonumber(found[at + 1])
  end
end

local back = math.max(0, b.seen - now)
if back > 0 then
  for _, name in ipairs({'stopped', 'reset_at', 'promised'}) do
    b[name] = b[name] - back
  end
  for bucket, at in pairs(ahead) do
    ahead[bucket] = at - back
  end
  local all = redis.call('ZRANGE', running, 0, -1, 'WITHSCORES')
  for at = 1, #all, 2 do
    redis.call('ZADD', running, string.format('%.0f', all[at + 1] - back), all[at])
  end
end
b.seen = now
redis.call('ZREMRANGEBYSCORE', running, '-inf', string.format('%.0f', now))
if b.remaining >= 0 and now >= b.reset_at then
  b.remaining = -1
end

local function keep(answer)
  local fields = {}
  for name, value in pairs(b) do
    table.insert(fields, name)
    table.insert(fields, string.format('%.0f', value))
  end
  for bucket, at in pairs(ahead) do
    table.insert(fields, 'ahead:' .. bucket)
    table.insert(fields, string.format('%.0f', at))
  end
  redis.call('HSET', budget, unpack(fields))
  redis.call('PEXPIRE', budget, kept_ms)
  redis.call('PEXPIRE', running, kept_ms)
  return answer
end

local function turn(is_asked_for, patience, at_once, busy, share, life, longest, ...)
  local known = redis.call('ZSCORE', running, id)
  if known then
    return {1, math.max(0, known - life - now), ''}
  end
  if now < b.stopped then
    return {0, b.stopped - now, 'stopped'}
  end
  if b.remaining >= 0 and b.remaining <= math.ceil(share * b.limit) then
    return {0, b.reset_at - now, 'used_up'}
  end
  if redis.call('ZCARD', running) >= tonumber(at_once) then
    return {0, tonumber(busy), 'too_many_at_once'}
  end
  local buckets, starts, wait, most = {...}, {}, 0, 0
  for at = 1, #buckets, 3 do
    local bucket, need, slack = buckets[at], tonumber(buckets[at + 1]), tonumber(buckets[at + 2])
    starts[bucket] = math.max(ahead[bucket] or 0, now) + need
    wait = math.max(wait, starts[bucket] - slack - now)
    most = math.max(most, need)
  end
  if wait > tonumber(patience) then
    local again = now + wait
    if is_asked_for ~= '1' then
      again = math.min(math.max(again, b.promised + most), again + longest)
      b.promised = again
    end
    return {0, again - now, 'too_fast'}
  end
  for bucket, at in pairs(starts) do
    ahead[bucket] = at
  end
  redis.call('ZADD', running, string.format('%.0f', now + wait + life), id)
  if b.remaining > 0 then
    b.remaining = b.remaining - 1
  end
  return {1, wait, wait > 0 and 'too_fast' or ''}
end

local function note(limit, remaining, reset, reset_in, window)
  if not (remaining and reset and reset_in) or reset < b.reset - window then
    return -- nothing is said, or it was long on its way
  end
  local is_same = b.remaining >= 0 and reset <= b.reset + window
  b.remaining = is_same and math.min(b.remaining, remaining) or remaining
  b.limit = limit or b.limit
  b.reset = is_same and math.max(b.reset, reset) or reset
  if not is_same or remaining == 0 then
    b.reset_at = now + reset_in
  end
end

local function told(limit, remaining, reset, reset_in, window, stop, longest, soon, strikes)
  redis.call('ZREM', running, id)
  note(tonumber(limit), tonumber(remaining), tonumber(reset), tonumber(reset_in), tonumber(window))
  stop = tonumber(stop)
  if not stop then
    return 0
  end
  if now < b.stopped then -- one that was under way tells of the same stop
    b.stopped = math.max(b.stopped, now + stop)
    return 0
  end
  b.strikes = now < b.stopped + soon and math.min(b.strikes + 1, tonumber(strikes)) or 1
  stop = math.min(stop * 2 ^ (b.strikes - 1), tonumber(longest))
  b.stopped = now + stop
  return stop
end

if verb == 'turn' then
  return keep(turn(unpack(ARGV, 4)))
end
return keep(told(unpack(ARGV, 4)))
