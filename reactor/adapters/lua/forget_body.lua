-- Forget who first had a body, if it was this delivery.
--
-- KEYS  body
-- ARGV  delivery

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
