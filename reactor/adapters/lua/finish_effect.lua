-- finish_effect
-- Keep what came of a try, and give the turn back, if no other try was begun since.
--
-- KEYS  turn, queue, row
-- ARGV  fence, key, now (microseconds since 1970), state ('done', 'refused', 'given_up', 'due' or
--       'held'), result, reason, due (microseconds since 1970, or ''), 1 if it failed, 1 if that was
--       because the other side was away, 1 if it may be done all the same, keep_ms, how long it is
--       put off in milliseconds, where that counts
-- Gives 1, or 0 where another try was begun: then nothing is kept.
--
-- Safe to repeat.

local turn, queue, row = unpack(KEYS)
local fence, key, now, state, result, reason, due = unpack(ARGV)
local failed, away, unsure, keep_ms, delayed_ms = unpack(ARGV, 8)

local found = redis.call('HMGET', row, 'fence', 'state', 'ever')
if found[1] ~= fence then
  return 0
end
if found[2] ~= 'sending' then
  return found[2] == state and 1 or 0
end

redis.call('HSET', row, 'state', state, 'changed', now,
  'result', result, 'reason', reason, 'due', due)
if failed == '1' then
  redis.call('HINCRBY', row, 'failures', 1)
end
if away == '1' then
  redis.call('HINCRBY', row, 'away', 1)
end
if delayed_ms ~= '0' then
  redis.call('HINCRBY', row, 'delayed_ms', delayed_ms)
end
if unsure == '1' then
  redis.call('HSET', row, 'unsure', 1)
end
if state ~= 'due' then
  redis.call('LREM', queue, 1, key)
  if state ~= 'held' and found[3] ~= '1' then
    redis.call('PEXPIRE', row, keep_ms)
  end
end
redis.call('HSET', turn, 'owner', '', 'until_ms', 0, 'token', '')
return 1
