-- begin_effect
-- Take a subject's turn, and begin a try of what is first in its queue.
--
-- KEYS  turn, queue, newest
-- ARGV  owner, lease_ms, now (microseconds since 1970), token of this try, what the keys of rows
--       begin with (they are in the slot of the KEYS)
-- Gives {'begin', fence, line, told, attempts, failures, unsure, away, ruled, delayed_ms}, or
--       {'held', left_ms}, or {'later', due}, or {'empty'}.
--
-- A row that is being sent already was cut off: that counts as a failure, and the change may have
-- been made.  Safe to repeat with the same token: the same try is told again.

local turn, queue, newest = unpack(KEYS)
local owner, lease_ms, now, token, rows = unpack(ARGV)
local DAY_MS, HOUR_MS = 86400000, 3600000

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', turn, 'owner', 'until_ms', 'fence', 'token', 'key')

local function told(key, fence)
  local row = redis.call(
    'HMGET', rows .. key, 'line', 'told', 'attempts', 'failures', 'unsure', 'away', 'ruled',
    'delayed_ms'
  )
  return {'begin', fence, row[1], row[2], row[3], row[4] or '0', row[5] or '0', row[6] or '0',
    row[7] or '0', row[8] or '0'}
end

if held[4] == token then
  return told(held[5], tonumber(held[3]))
end
local holder, until_ms = held[1] or '', tonumber(held[2] or 0)
if holder ~= '' and holder ~= owner and until_ms > now_ms then
  return {'held', until_ms - now_ms}
end

local key = redis.call('LINDEX', queue, 0)
while key and redis.call('EXISTS', rows .. key) == 0 do -- somebody has deleted it
  redis.call('LPOP', queue)
  key = redis.call('LINDEX', queue, 0)
end
if not key then
  return {'empty'}
end

local row = rows .. key
local found = redis.call('HMGET', row, 'state', 'due', 'delivery', 'depth')
if found[1] == 'due' and tonumber(found[2]) > tonumber(now) then
  return {'later', found[2]}
end
if found[1] == 'sending' then
  redis.call('HINCRBY', row, 'failures', 1)
  redis.call('HSET', row, 'unsure', 1)
end

-- At least the clock, so that a fence is never given again, even after the turn has expired.
local fence = math.max(tonumber(held[3] or 0) + 1, now_ms)
redis.call('HSET', row, 'state', 'sending', 'fence', fence, 'changed', now)
redis.call('HINCRBY', row, 'attempts', 1)
redis.call('HSET', turn, 'owner', owner, 'fence', fence, 'until_ms', now_ms + lease_ms,
  'token', token, 'key', key)
redis.call('PEXPIRE', turn, DAY_MS + lease_ms)
redis.call('HSET', newest, 'delivery', found[3], 'depth', found[4])
redis.call('PEXPIRE', newest, HOUR_MS)
return told(key, fence)
