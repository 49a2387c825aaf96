-- put_shelf
-- Put an item on the shelf, behind the others.
--
-- KEYS  order, items, last
-- ARGV  name, item
--
-- Safe to repeat: one of that name that is there already stays, in its place.

local name, item = unpack(ARGV)
if redis.call('HSETNX', KEYS[2], name, item) == 1 then
  redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[3]), name)
end
