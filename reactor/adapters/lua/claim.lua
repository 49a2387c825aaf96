-- Claim a delivery id.
--
-- KEYS  claim
-- ARGV  digest of the body, token of this claim, pending_ms
-- Gives {'new'}, {'pending'}, {'kept'}, {'conflict'} or {'produced', topic, partition, offset}.
--
-- Safe to repeat: who has the token gets 'new' again.

local digest, token, pending_ms = unpack(ARGV)
local found = redis.call(
  'HMGET', KEYS[1], 'digest', 'token', 'topic', 'partition', 'offset', 'kept'
)

if not found[1] then
  redis.call('HSET', KEYS[1], 'digest', digest, 'token', token)
  redis.call('PEXPIRE', KEYS[1], pending_ms)
  return {'new'}
end
if found[2] == token then
  return {'new'}
end
if found[1] ~= digest then
  return {'conflict'}
end
if found[3] then
  return {'produced', found[3], found[4], found[5]}
end
if found[6] then
  return {'kept'}
end
return {'pending'}
