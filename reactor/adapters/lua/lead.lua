-- lead
-- Take or renew a right that one owner has at a time.
--
-- KEYS  leader
-- ARGV  owner, lease_ms
-- Gives 1, or 0 while another owner has it.
--
-- Safe to repeat.

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
