-- wake_subject
-- Let a subject be looked at: something was enrolled.  Where it waits already for longer, that counts.
--
-- KEYS  effects
-- ARGV  subject, since when it waits (microseconds since 1970)
-- Gives its new score, which is never the one before, so that who takes the subject out can tell.
--
-- Safe to repeat.

local since = tonumber(ARGV[2])
local known = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or since + 1)
if known <= since then
  since = known + 1
end
redis.call('ZADD', KEYS[1], string.format('%.0f', since), ARGV[1])
return string.format('%.0f', since)
