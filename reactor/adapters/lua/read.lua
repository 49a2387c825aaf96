-- Load a process without its lease: as one commit left it, never half of one and half of the next.
--
-- KEYS  process, changes, history, effects
-- Gives {head, commits, journal_seq, sent_seq, changes, history, effects}.

local found = redis.call('HMGET', KEYS[1], 'head', 'commits', 'journal_seq', 'sent_seq')
return {
  found[1], found[2], found[3], found[4],
  redis.call('LRANGE', KEYS[2], 0, -1),
  redis.call('LRANGE', KEYS[3], 0, -1),
  redis.call('LRANGE', KEYS[4], 0, -1),
}
