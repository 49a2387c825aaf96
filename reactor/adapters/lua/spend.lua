-- Add an amount to what was spent of each purse in a day, unless one of them has reached its limit.
--
-- KEYS  spent (of the day), once (of this very call)
-- ARGV  amount, keep_ms, once_ms, then of each purse its name and its limit ("": none)
-- Gives the purse that is spent, and then nothing was added; else "".  None gets below 0.
--
-- Safe to repeat within once_ms.

local amount, keep_ms, once_ms = tonumber(ARGV[1]), ARGV[2], ARGV[3]
if redis.call('EXISTS', KEYS[2]) == 1 then
  return ''
end

local spent = {}
for i = 4, #ARGV, 2 do
  spent[i] = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0')
  local limit = tonumber(ARGV[i + 1])
  if limit and spent[i] >= limit then
    return ARGV[i]
  end
end
for i = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], string.format('%.9f', math.max(0, spent[i] + amount)))
end
redis.call('PEXPIRE', KEYS[1], keep_ms)
redis.call('SET', KEYS[2], '1', 'PX', once_ms)
return ''
