-- Remember up to which decision record a process's journal was published; never backwards.
--
-- KEYS  process
-- ARGV  seq of the record

local sent_seq = redis.call('HMGET', KEYS[1], 'head', 'sent_seq')
if sent_seq[1] and tonumber(sent_seq[2] or 0) < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'sent_seq', ARGV[1])
end
