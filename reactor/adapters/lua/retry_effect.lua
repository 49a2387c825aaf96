-- retry_effect
-- Let an effect that was given up be sent again, behind what its subject has to send already.
--
-- KEYS  queue, row
-- ARGV  key, now (microseconds since 1970)
-- Gives 1, or 0 where it is not given up.
--
-- Failures and delays are counted anew; whether the change may be there already is kept.  Safe to
-- repeat: then it is not given up any more.

local queue, row = unpack(KEYS)
local key, now = unpack(ARGV)

if redis.call('HGET', row, 'state') ~= 'given_up' then
  return 0
end
redis.call('HSET', row, 'state', 'due', 'due', now, 'changed', now, 'failures', 0, 'away', 0,
  'delayed_ms', 0, 'fence', '') -- of earlier tries nothing counts any more
local fields = redis.call('HGETALL', row) -- written anew it stays: PERSIST is one right more
redis.call('DEL', row)
redis.call('HSET', row, unpack(fields))
redis.call('RPUSH', queue, key)
return 1
