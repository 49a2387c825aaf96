-- fired_timer
-- A timer has fired: go on to its next moment, or forget it, unless it was moved meanwhile.
--
-- KEYS  timers due, timers told
-- ARGV  id, due as it was, next due ('': none)
--
-- Safe to repeat: the second time its moment is another one.

local id, due, next_due = unpack(ARGV)
local score = redis.call('ZSCORE', KEYS[1], id)
if not score or tonumber(score) ~= tonumber(due) then
  return
end
if next_due == '' then
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
else
  redis.call('ZADD', KEYS[1], next_due, id)
end
