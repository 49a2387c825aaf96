-- remove_shelf
-- Take items off the shelf.
--
-- KEYS  order, items, last
-- ARGV  names
--
-- Safe to repeat.

for _, name in ipairs(ARGV) do
  redis.call('ZREM', KEYS[1], name)
  redis.call('HDEL', KEYS[2], name)
end
