-- read_shelf
-- Read items of the shelf, oldest first.
--
-- KEYS  order, items, last
-- ARGV  number of the item after which to begin, how many at most
-- Gives the number of the last one read, and the items.

local after, most = ARGV[1], tonumber(ARGV[2])
local found = redis.call(
  'ZRANGEBYSCORE', KEYS[1], '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, most
)
local names = {}
for at = 1, #found, 2 do
  names[#names + 1] = found[at]
end
if #names == 0 then
  return {after, {}}
end
return {found[#found], redis.call('HMGET', KEYS[2], unpack(names))}
