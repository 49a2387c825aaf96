-- due_timers
-- The timers that are due, earliest first.
--
-- KEYS  timers due, timers told
-- ARGV  now (microseconds since 1970, or +inf), limit (-1: all)
-- Gives {id, due, line, id, due, line, ...}.

local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1],
  'WITHSCORES', 'LIMIT', 0, ARGV[2])
local timers = {}
for at = 1, #found, 2 do
  table.insert(timers, found[at])
  table.insert(timers, found[at + 1])
  table.insert(timers, redis.call('HGET', KEYS[2], found[at]) or '')
end
return timers
