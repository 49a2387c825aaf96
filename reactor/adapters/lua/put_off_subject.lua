-- put_off_subject
-- Look at a subject again later, or not at all, unless something was enrolled since.
--
-- KEYS  effects
-- ARGV  subject, the score that was seen, when to look again (microseconds since 1970, '': never)
--
-- A moment that is earlier than the one that is kept counts in any case.  Safe to repeat.

local effects, subject, seen, after = KEYS[1], unpack(ARGV)
local score = tonumber(redis.call('ZSCORE', effects, subject) or -1)
if after == '' then
  if score == tonumber(seen) then
    redis.call('ZREM', effects, subject)
  end
elseif score >= 0 and (score == tonumber(seen) or score > tonumber(after)) then
  redis.call('ZADD', effects, after, subject)
end
