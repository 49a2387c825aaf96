-- cancel_timer
-- Forget a timer, if it is there.
--
-- KEYS  timers due, timers told
-- ARGV  id

redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
