-- A delivery is on its topic: keep its claim, or make one where Redis was away before.
--
-- KEYS  claim
-- ARGV  digest of the body, topic, partition, offset, keep_ms
--
-- What is on the topic counts, whoever has claimed the id meanwhile.  Of two bodies that got there
-- under one id the first stays, so that the second is a conflict when it comes again.

local digest, topic, partition, offset, keep_ms = unpack(ARGV)
local found = redis.call('HMGET', KEYS[1], 'digest', 'topic', 'kept')

if (found[2] or found[3]) and found[1] ~= digest then
  return
end
redis.call(
  'HSET', KEYS[1], 'digest', digest, 'topic', topic, 'partition', partition, 'offset', offset
)
redis.call('HDEL', KEYS[1], 'token', 'kept') -- nobody can give it back any more
redis.call('PEXPIRE', KEYS[1], keep_ms)
