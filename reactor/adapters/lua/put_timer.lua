-- put_timer
-- Keep a timer, instead of one of the same id.
--
-- KEYS  timers due, timers told
-- ARGV  id, due (microseconds since 1970), line, 1 where an equal one keeps its moment
--
-- Safe to repeat.

local id, due, line, stays = unpack(ARGV)
if stays == '1' and redis.call('HGET', KEYS[2], id) == line then
  return
end
redis.call('ZADD', KEYS[1], due, id)
redis.call('HSET', KEYS[2], id, line)
