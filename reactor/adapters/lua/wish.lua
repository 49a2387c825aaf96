-- Leave a wish for whoever runs a process; a newer one takes the place of an older one.
--
-- KEYS  process
-- ARGV  wish
-- Gives 1, or 0 where there is no such process.
--
-- Safe to repeat.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'wish', ARGV[1])
return 1
