-- Take the lease on a process and load it.  Keys: see redis_keys.py.
--
-- KEYS  process, changes, history, effects
-- ARGV  owner, lease_ms, keep_ms (for a process that was never committed), session (of a worker,
--       from its start to its end)
-- Gives {'held', owner, left_ms}, or
--       {'open', fence, wish, opens, head, commits, journal_seq, sent_seq, changes, history, effects}
--       (wish is '' where there is none, head nil where nothing was committed yet; opens: by how
--       many sessions since anything was kept).
--
-- Safe to repeat: the second answer carries the fence that counts.

local process, changes, history, effects = unpack(KEYS)
local owner, lease_ms, keep_ms, session = unpack(ARGV)

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

local found = redis.call('HMGET', process,
  'owner', 'until_ms', 'fence', 'head', 'commits', 'journal_seq', 'sent_seq', 'wish', 'opens',
  'opener')
local holder, until_ms, fence = found[1] or '', tonumber(found[2] or 0), tonumber(found[3] or 0)

if holder ~= '' and holder ~= owner and until_ms > now_ms then
  return {'held', holder, until_ms - now_ms}
end

-- At least the clock, so that a fence is never given again, even after the process has expired.
fence = math.max(fence + 1, now_ms)
local opens = tonumber(found[9] or 0)
if found[10] ~= session then
  opens = opens + 1
end
redis.call('HSET', process,
  'owner', owner, 'fence', fence, 'lease_ms', lease_ms, 'until_ms', now_ms + lease_ms,
  'opens', opens, 'opener', session)

if not found[4] then
  redis.call('PEXPIRE', process, keep_ms)
end

return {
  'open', fence, found[8] or '', opens, found[4], found[5], found[6], found[7],
  redis.call('LRANGE', changes, 0, -1),
  redis.call('LRANGE', history, 0, -1),
  redis.call('LRANGE', effects, 0, -1),
}
