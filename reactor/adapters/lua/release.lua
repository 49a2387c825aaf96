-- Give a lease back, if it is still held.  The fence stays, so that the next one is higher.
--
-- KEYS  process
-- ARGV  owner, fence

local found = redis.call('HMGET', KEYS[1], 'owner', 'fence')
if found[1] == ARGV[1] and found[2] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'owner', '', 'until_ms', 0)
end
