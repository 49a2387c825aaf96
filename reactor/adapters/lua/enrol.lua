-- enrol
-- Keep effects of one subject that are to be sent; those beyond a cap are kept as refused, and
-- those that wait for a person as held, in no queue.
--
-- KEYS  queue, window, event counter, day counter, then the row of each effect
-- ARGV  now (microseconds since 1970), per_event, per_subject, per_day, window (microseconds),
--       keep_ms (of the counter of an event, and of what is refused), why one is refused that is
--       beyond the cap of an event, of a subject, of a day, then of each effect
--       key, line, told, process, delivery, depth, 1 where it is for once ever, 1 where a person
--       has to approve it
-- Gives for each {'queued'|'held'|'repeated'|'refused', process, reason, 'queued' while it is to
--       be sent, 'held' while it waits for a person, otherwise ''}.
--
-- A key that is known stays as it is.  Safe to repeat: then all are known.

local queue, window, by_event, by_day = unpack(KEYS, 1, 4)
local now, per_event, per_subject, per_day, length, keep_ms = unpack(ARGV, 1, 6)
local DAY_MS = 86400000

redis.call('ZREMRANGEBYSCORE', window, '-inf', now - length)
local of_event = tonumber(redis.call('GET', by_event) or 0)
local of_day = tonumber(redis.call('GET', by_day) or 0)
local of_subject = redis.call('ZCARD', window)

local answers = {}
for at = 5, #KEYS do
  local row = KEYS[at]
  local first = 10 + (at - 5) * 8
  local key, line, told, process, delivery, depth, ever, held = unpack(ARGV, first, first + 7)
  local known = redis.call('HMGET', row, 'state', 'process')
  if known[1] then
    local waits = 'queued'
    if known[1] == 'done' or known[1] == 'refused' or known[1] == 'given_up' then
      waits = ''
    elseif known[1] == 'held' then
      waits = 'held'
    end
    table.insert(answers, {'repeated', known[2], '', waits})
  else
    local why = ''
    if of_event >= tonumber(per_event) then
      why = ARGV[7]
    elseif of_subject >= tonumber(per_subject) then
      why = ARGV[8]
    elseif of_day >= tonumber(per_day) then
      why = ARGV[9]
    end
    local state = held == '1' and 'held' or 'intended'
    if why ~= '' then
      state = 'refused'
    end
    redis.call('HSET', row,
      'state', state, 'reason', why,
      'line', line, 'told', told, 'process', process, 'delivery', delivery, 'depth', depth,
      'ever', ever, 'enrolled', now, 'changed', now)
    if why == '' then
      local waits = 'held'
      if state == 'intended' then
        redis.call('RPUSH', queue, key)
        waits = 'queued'
      end
      redis.call('ZADD', window, now, key)
      of_event, of_subject, of_day = of_event + 1, of_subject + 1, of_day + 1
      table.insert(answers, {waits, process, '', waits})
    else
      if ever ~= '1' then
        redis.call('PEXPIRE', row, keep_ms)
      end
      table.insert(answers, {'refused', process, why, ''})
    end
  end
end

redis.call('PEXPIRE', window, math.ceil(length / 1000))
if of_event > 0 then
  redis.call('SET', by_event, of_event, 'PX', keep_ms)
  redis.call('SET', by_day, of_day, 'PX', 2 * DAY_MS)
end
return answers
