-- rule_effect
-- Let an effect that is held be sent, behind what its subject has to send already, or refuse it.
--
-- KEYS  queue, row
-- ARGV  key, 1 if it is approved, by whom, why it is refused, now (microseconds since 1970),
--       keep_ms (of what is refused)
-- Gives {1 if it is approved, by whom, when, 1 while it is to be sent} as it was ruled first, or
--       {} where it was never held.
--
-- Safe to repeat: the first ruling counts.

local queue, row = unpack(KEYS)
local key, approved, by, reason, now, keep_ms = unpack(ARGV)

local found = redis.call('HMGET', row, 'state', 'ruled', 'ruled_by', 'ruled_at', 'ever')
if found[2] then
  local is_settled = found[1] == 'done' or found[1] == 'refused' or found[1] == 'given_up'
  return {tonumber(found[2]), found[3], found[4], is_settled and 0 or 1}
end
if found[1] ~= 'held' then
  return {}
end

redis.call('HSET', row, 'ruled', approved, 'ruled_by', by, 'ruled_at', now, 'changed', now)
if approved == '1' then
  redis.call('HSET', row, 'state', 'intended')
  redis.call('RPUSH', queue, key)
  return {1, by, now, 1}
end
redis.call('HSET', row, 'state', 'refused', 'reason', reason)
if found[5] ~= '1' then
  redis.call('PEXPIRE', row, keep_ms)
end
return {0, by, now, 0}
