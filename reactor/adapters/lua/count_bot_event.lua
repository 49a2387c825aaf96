-- Count a delivery by a bot, unless its subject has had enough of them within the window.
--
-- KEYS  storm
-- ARGV  delivery, limit, window_ms
-- Gives 1 where it counts, or has counted before; 0 where it is one too many.
--
-- Safe to repeat.

local delivery, limit, window_ms = unpack(ARGV)
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - window_ms)
if redis.call('ZSCORE', KEYS[1], delivery) then
  return 1
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(limit) then
  return 0
end
redis.call('ZADD', KEYS[1], now_ms, delivery)
redis.call('PEXPIRE', KEYS[1], window_ms)
return 1
