-- renew_turn
-- Keep a subject's turn, also one that ran out but that nobody took.
--
-- KEYS  turn
-- ARGV  owner, fence, lease_ms
-- Gives 1, or 0 where it was taken over or given back.
--
-- Safe to repeat.

local held = redis.call('HMGET', KEYS[1], 'owner', 'fence')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then
  return 0
end
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'until_ms', now_ms + ARGV[3])
return 1
