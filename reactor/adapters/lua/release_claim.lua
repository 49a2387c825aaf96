-- Forget a claim that is still pending.
--
-- KEYS  claim
-- Gives the digest that it was for, or nil where there is nothing to forget.

local found = redis.call('HMGET', KEYS[1], 'digest', 'topic')
if found[1] and not found[2] then
  redis.call('DEL', KEYS[1])
  return found[1]
end
return false
