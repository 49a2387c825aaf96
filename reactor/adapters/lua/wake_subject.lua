-- wake_subject
-- Let a subject be looked at now: something was enrolled.
--
-- KEYS  effects
-- ARGV  subject, now (microseconds since 1970)
-- Gives its new score, which is never the one before, so that who takes the subject out can tell.
--
-- Safe to repeat.

local now = tonumber(ARGV[2])
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) == now then
  now = now + 1
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
return string.format('%.0f', now)
