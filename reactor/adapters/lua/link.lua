-- Remember that a delivery started a process.
--
-- KEYS  started
-- ARGV  process id, keep_ms
--
-- Safe to repeat: the first place stays.

if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  redis.call('ZADD', KEYS[1], redis.call('ZCARD', KEYS[1]), ARGV[1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
