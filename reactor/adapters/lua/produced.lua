-- A delivery is on its topic: keep its claim, or make one where Redis was away before.
--
-- KEYS  claim
-- ARGV  topic, partition, offset, keep_ms

redis.call('HSETNX', KEYS[1], 'digest', '')
redis.call('HSET', KEYS[1], 'topic', ARGV[1], 'partition', ARGV[2], 'offset', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
