-- Give a lease back, if it is still held.  The fence stays, so that the next one is higher; who
-- gives it back has not been ended by the process, so the open does not count.
--
-- KEYS  process
-- ARGV  owner, fence

local found = redis.call('HMGET', KEYS[1], 'owner', 'fence', 'opens', 'opener')
if found[1] == ARGV[1] and found[2] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'owner', '', 'until_ms', 0)
  if (found[4] or '') ~= '' then
    redis.call('HSET', KEYS[1], 'opens', found[3] - 1, 'opener', '')
  end
end
