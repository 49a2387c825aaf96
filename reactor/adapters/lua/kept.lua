-- A delivery is durable, and not on its topic yet: keep its claim, or make one.
--
-- KEYS  claim
-- ARGV  digest of the body, keep_ms
--
-- Safe to repeat.  What is on the topic stays, and so does the first body that was kept.

local digest, keep_ms = unpack(ARGV)
local found = redis.call('HMGET', KEYS[1], 'topic', 'kept')

if found[1] or found[2] then
  return
end
redis.call('HSET', KEYS[1], 'digest', digest, 'kept', '1')
redis.call('HDEL', KEYS[1], 'token') -- nobody can give it back any more
redis.call('PEXPIRE', KEYS[1], keep_ms)
