-- Forget a claim that is still pending, and still ours.
--
-- KEYS  claim
-- ARGV  token of the claim
-- Gives the digest that it was for, or nil where there is nothing to forget.

local found = redis.call('HMGET', KEYS[1], 'digest', 'token')
if found[2] == ARGV[1] then -- what is on the topic has no token
  redis.call('DEL', KEYS[1])
  return found[1]
end
return false
