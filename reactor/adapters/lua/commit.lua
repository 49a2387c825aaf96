-- Keep what a tick adds to a process, all of it or nothing, if the lease is still held.
--
-- KEYS  process, changes, history, effects, journal
-- ARGV  owner, fence, commit id, keep_ms, is_last (1: the lease is given back with it),
--       head, journal_seq (0: no record is added),
--       how many changes, runs, effects and records follow, then the lines in that order
-- Gives {'kept', wish} (a wish that was left meanwhile, or ''), or {'lost'} where another one has
-- the lease.
--
-- Safe to repeat: a commit id that was the last one is not kept again, and is told as kept, also
-- where it gave the lease back.

local process = KEYS[1]
local owner, fence, commit_id, keep_ms, is_last, head, journal_seq = unpack(ARGV, 1, 7)

local found = redis.call('HMGET', process, 'owner', 'fence', 'last_commit', 'lease_ms', 'wish')
local kept = {'kept', found[5] or ''}
if found[3] == commit_id then
  return kept
end
if found[1] ~= owner or found[2] ~= fence then
  return {'lost'}
end

local line = 11
for list = 1, 4 do
  for _ = 1, tonumber(ARGV[7 + list]) do
    line = line + 1
    redis.call('RPUSH', KEYS[1 + list], ARGV[line])
  end
end

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', process,
  'head', head, 'last_commit', commit_id, 'until_ms', now_ms + found[4])
if is_last == '1' or line > 11 then
  redis.call('HSET', process, 'opens', 0, 'opener', '')
end
if is_last == '1' then
  redis.call('HSET', process, 'owner', '', 'until_ms', 0)
end
if journal_seq ~= '0' then
  redis.call('HSET', process, 'journal_seq', journal_seq)
end
redis.call('HINCRBY', process, 'commits', 1)

for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, keep_ms)
end
return kept
