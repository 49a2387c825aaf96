-- resign
-- Give such a right back, if it is ours.
--
-- KEYS  leader
-- ARGV  owner

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
