-- waiting_subjects
-- The subjects that are to be looked at, those first that have waited longest.
--
-- KEYS  effects
-- ARGV  now (microseconds since 1970), limit
-- Gives {subject, score, subject, score, ...}.

return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
