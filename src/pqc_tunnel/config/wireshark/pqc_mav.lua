-- Copyright 2026 The PQC-MAV Authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Shows the tunnel's datagrams in Wireshark: frames, hellos, control messages and streams (docs/protocol.md, version 4).
--   wireshark -X lua_script:pqc_mav.lua capture.pcap
-- The content of frames appears with the keys of a debug build: the preference "Key log file", or $PQC_KEY_LOG.
-- Without Wireshark the file returns its parts, for tests. Lua 5.1 to 5.4.

local M = {}

-- --- Numbers ---

local bxor, band
do
  local load_text = loadstring or load
  local operators = load_text("return function(a, b) return a ~ b end, function(a, b) return a & b end")
  if operators then
    bxor, band = operators()
  else
    local library = bit32 or bit
    bxor = function(a, b) return library.bxor(a, b) % 2^32 end
    band = function(a, b) return library.band(a, b) % 2^32 end
  end
end

local function number_of(bytes, from, size)  -- big-endian
  local value = 0
  for i = from, from + size - 1 do
    value = value * 256 + bytes[i]
  end
  return value
end

local function bytes_of_hex(text)
  local bytes = {}
  for pair in text:gmatch("%x%x") do
    bytes[#bytes + 1] = tonumber(pair, 16)
  end
  return bytes
end
M.bytes_of_hex = bytes_of_hex

-- --- AES-256 in counter mode (FIPS 197, SP 800-38D), ChaCha20 (RFC 8439) ---

local function doubled(a)
  a = a * 2
  return a > 255 and bxor(a - 256, 0x1b) or a
end

local sbox = {}
do
  local p, q = 1, 1
  local function rotated(a, by)
    local power = 2 ^ by
    return (a * power) % 256 + math.floor(a * power / 256)
  end
  repeat
    p = bxor(p, doubled(p))  -- times 3
    q = bxor(q, (q * 2) % 256)
    q = bxor(q, (q * 4) % 256)
    q = bxor(q, (q * 16) % 256)
    if q > 127 then
      q = bxor(q, 9)
    end
    local mixed = bxor(bxor(q, rotated(q, 1)), bxor(rotated(q, 2), bxor(rotated(q, 3), rotated(q, 4))))
    sbox[p] = bxor(math.floor(mixed), 0x63)
  until p == 1
  sbox[0] = 0x63
end

local rounds = 14

local function aes_schedule(key)
  local words = {}
  for i = 0, 7 do
    words[i] = {key[4 * i + 1], key[4 * i + 2], key[4 * i + 3], key[4 * i + 4]}
  end
  local constant = 1
  for i = 8, 4 * (rounds + 1) - 1 do
    local last = words[i - 1]
    local a, b, c, d = last[1], last[2], last[3], last[4]
    if i % 8 == 0 then
      a, b, c, d = bxor(sbox[b], constant), sbox[c], sbox[d], sbox[a]
      constant = doubled(constant)
    elseif i % 8 == 4 then
      a, b, c, d = sbox[a], sbox[b], sbox[c], sbox[d]
    end
    local before = words[i - 8]
    words[i] = {bxor(before[1], a), bxor(before[2], b), bxor(before[3], c), bxor(before[4], d)}
  end
  return words
end

local function aes_block(words, block)
  local state = {}
  local function add_key(round)
    for column = 0, 3 do
      local word = words[4 * round + column]
      for row = 1, 4 do
        state[4 * column + row] = bxor(state[4 * column + row], word[row])
      end
    end
  end
  for i = 1, 16 do
    state[i] = block[i]
  end
  add_key(0)
  for round = 1, rounds do
    local moved = {}
    for column = 0, 3 do
      for row = 0, 3 do
        moved[4 * column + row + 1] = sbox[state[4 * ((column + row) % 4) + row + 1]]
      end
    end
    if round < rounds then
      for column = 0, 3 do
        local at = 4 * column
        local a, b, c, d = moved[at + 1], moved[at + 2], moved[at + 3], moved[at + 4]
        local all = bxor(bxor(a, b), bxor(c, d))
        moved[at + 1] = bxor(a, bxor(all, doubled(bxor(a, b))))
        moved[at + 2] = bxor(b, bxor(all, doubled(bxor(b, c))))
        moved[at + 3] = bxor(c, bxor(all, doubled(bxor(c, d))))
        moved[at + 4] = bxor(d, bxor(all, doubled(bxor(d, a))))
      end
    end
    state = moved
    add_key(round)
  end
  return state
end

local function aes_stream(key)
  local words = aes_schedule(key)
  return 16, function(nonce, index)
    local block = {}
    for i = 1, 12 do
      block[i] = nonce[i]
    end
    local count = index + 2  -- the first one belongs to the tag
    for i = 16, 13, -1 do
      block[i] = count % 256
      count = math.floor(count / 256)
    end
    return aes_block(words, block)
  end
end

local function word_at(bytes, at)  -- little-endian
  return bytes[at] + bytes[at + 1] * 2^8 + bytes[at + 2] * 2^16 + bytes[at + 3] * 2^24
end

local function as_integer(value)
  return math.tointeger and math.tointeger(value) or value
end

local function chacha_stream(key)
  return 64, function(nonce, index)
    local start = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
    for i = 0, 7 do
      start[#start + 1] = as_integer(word_at(key, 4 * i + 1))
    end
    start[13] = index + 1  -- the first one belongs to the tag
    for i = 0, 2 do
      start[14 + i] = as_integer(word_at(nonce, 4 * i + 1))
    end
    local s = {}
    for i = 1, 16 do
      s[i] = start[i]
    end
    local function turn(a, b, c, by)
      s[a] = (s[a] + s[b]) % 4294967296
      local mixed = bxor(s[c], s[a])
      local low = mixed % as_integer(2 ^ (32 - by))
      s[c] = as_integer(low * 2 ^ by + (mixed - low) / 2 ^ (32 - by))
    end
    local function quarter(a, b, c, d)
      turn(a, b, d, 16)
      turn(c, d, b, 12)
      turn(a, b, d, 8)
      turn(c, d, b, 7)
    end
    for _ = 1, 10 do
      quarter(1, 5, 9, 13)
      quarter(2, 6, 10, 14)
      quarter(3, 7, 11, 15)
      quarter(4, 8, 12, 16)
      quarter(1, 6, 11, 16)
      quarter(2, 7, 12, 13)
      quarter(3, 8, 9, 14)
      quarter(4, 5, 10, 15)
    end
    local block = {}
    for i = 1, 16 do
      local word = (s[i] + start[i]) % 4294967296
      for _ = 1, 4 do
        block[#block + 1] = as_integer(word % 256)
        word = (word - word % 256) / 256
      end
    end
    return block
  end
end

local streams = {[1] = aes_stream, [2] = chacha_stream}
local aead_names = {
  [1] = "AES-256-GCM", [2] = "ChaCha20-Poly1305", [3] = "Ascon-128a", [4] = "Ascon-AEAD128",
}

-- --- Keys and frames ---

local overhead = 25
local tag_size = 16
local header_size = 6

-- Reads the lines of a key log into a table: by key id, a list of keys.
function M.read_keys(lines)
  local keys = {}
  for line in lines do
    local id, epoch, aead, key, iv = line:match("^PQC_MAV (%x+) (%d+) (%d+) (%x+) (%x+)")
    if id then
      id = tonumber(id, 16)
      keys[id] = keys[id] or {}
      table.insert(keys[id], {
        epoch = tonumber(epoch), aead = tonumber(aead), key = bytes_of_hex(key),
        iv = bytes_of_hex(iv), highest = 0,
      })
    end
  end
  return keys
end

function M.parse_header(bytes)
  return {
    key_id = (bytes[1] % 64) * 65536 + bytes[2] * 256 + bytes[3],
    sequence = number_of(bytes, 4, 3),
  }
end

-- The sequence nearest to the highest one that has these low 24 bits.
function M.whole_sequence(low, highest)
  local period = 2 ^ 24
  local base = highest - highest % period
  local best = low + base
  for _, other in ipairs({best - period, best + period}) do
    if other >= 0 and math.abs(other - highest) < math.abs(best - highest) then
      best = other
    end
  end
  return best
end

-- Decrypts without checking the tag. Returns payload ‖ time 2 ‖ kind 1; nil for an AEAD that is not known here.
function M.open(frame, key, sequence)
  if not streams[key.aead] or #frame < overhead then
    return nil
  end
  if not key.next_block then
    key.block_size, key.next_block = streams[key.aead](key.key)
  end
  local nonce = {}
  for i = 1, #key.iv do
    nonce[i] = key.iv[i]
  end
  local at = #nonce
  for _ = 1, 8 do
    nonce[at] = bxor(nonce[at], as_integer(sequence % 256))
    sequence = math.floor(sequence / 256)
    at = at - 1
  end
  nonce[at] = bxor(nonce[at], key.epoch)
  local text = {}
  local size = #frame - header_size - tag_size
  for first = 0, size - 1, key.block_size do
    local block = key.next_block(nonce, first / key.block_size)
    for i = 1, math.min(key.block_size, size - first) do
      text[first + i] = bxor(frame[header_size + first + i], block[i])
    end
  end
  return text
end

local kinds = {
  [0] = "data", "control", "bundle", "stream", "fragment", "control fragment",
}

-- Opens a frame with the first key of its id that gives a known kind. Returns the text, the key and the sequence.
function M.try_keys(frame, keys, known_sequence)
  local header = M.parse_header(frame)
  for _, key in ipairs(keys[header.key_id] or {}) do
    local sequence = known_sequence or M.whole_sequence(header.sequence, key.highest)
    local text = M.open(frame, key, sequence)
    if text and kinds[text[#text]] then
      key.highest = math.max(key.highest, sequence)
      return text, key, sequence
    end
  end
  return nil, (keys[header.key_id] or {})[1]
end

-- --- What a text holds: a list of {name, offset, size, value} ---

local controls = {
  {"WANT", {"suite", 5}, {"lane", 1}, {"pace (bytes/s)", 4}},
  {"LATER", {"estimate (ms)", 4}},
  {"CONFIRM", {"MAC", 32}},
  {"ABORT", {"reason", 1}},
  {"TIME_REQ", {"t1 (ns)", 8}},
  {"TIME_RSP", {"t1 (ns)", 8}, {"t2 (ns)", 8}, {"t3 (ns)", 8}},
  {"LINK_REPORT", {"window (µs)", 4}, {"packets per 1000 s", 4}, {"bytes/s", 4}, {"gap p95 (µs)", 4},
   {"longest silence (µs)", 4}, {"jitter (µs)", 4}, {"loss (ppm)", 4}, {"blackouts", 4},
   {"packets", 8}, {"lost", 8}, {"reordered", 8}, {"duplicates", 8}},
  {"KEEPALIVE"},
  {"REKEY_REQ", {"suite", 5}, {"kind", 1}},
  {"RATCHET", {"next epoch", 1}, {"random", 32}},
  {"RATCHET_OK", {"random", 32}, {"MAC", 32}},
  {"STREAM_ACK", {"id", 1}, {"newest", 2}, {"waited (µs)", 2}, {"received through", 3}},
  {"PATH_REQ", {"nonce", 8}},
  {"PATH_RSP", {"nonce", 8}},
  {"SUPERSEDED"},
  {"NOTICE", {"kind", 1}},
  {"WIPED"},
  {"ECHO_REQ"},
  {"ECHO_RSP", {"arrived", 4}, {"version", 3}},
  {"ERASE", {"MAC", 32}},
  {"ERASED", {"outcome", 1}},
}

local hellos = {
  [0x81] = {"ClientHello", 152, {"drone id", 8}, {"client random", 32}, {"suite", 5}, {"mode", 1},
            {"policy hash", 32}, {"former session", 8}, {"challenge", 32}, {"MAC", 32}},
  [0x82] = {"HelloRetry", 66, {"challenge", 32}, {"MAC", 32}},
  [0x83] = {"Reject", 35, {"reason", 1}, {"MAC", 32}},
}
local messages = {[1] = "Prekey", [2] = "Finish", [3] = "Rekey and Finish"}

local function hex_of(bytes, from, size)
  local text = ""
  for i = from, from + size - 1 do
    text = text .. string.format("%02x", bytes[i])
  end
  return text
end

-- Appends fields from a layout; what is left is `rest`.
local function add_fields(fields, bytes, at, layout, first)
  for i = first, #layout do
    local name, size = layout[i][1], layout[i][2]
    if at + size - 1 > #bytes then
      return
    end
    local value = size <= 4 and string.format("%d", number_of(bytes, at, size)) or hex_of(bytes, at, size)
    if size == 8 and name ~= "nonce" and name ~= "drone id" and name ~= "former session" then
      value = string.format("%.0f", number_of(bytes, at, size))
    end
    table.insert(fields, {name, at - 1, size, value})
    at = at + size
  end
  if at <= #bytes then
    table.insert(fields, {"rest", at - 1, #bytes - at + 1, hex_of(bytes, at, math.min(#bytes - at + 1, 64))})
  end
end

local function control_fields(bytes)
  local layout = controls[bytes[1]]
  if not layout or #bytes < 5 then
    return "unknown control", {}
  end
  local fields = {{"transaction", 1, 4, string.format("%d", number_of(bytes, 2, 4))}}
  add_fields(fields, bytes, 6, layout, 2)
  return layout[1], fields
end

local function stream_fields(bytes)
  if #bytes < 9 then
    return "stream", {}
  end
  local lane, offset = math.floor(bytes[1] / 64), number_of(bytes, 4, 3)
  local total = number_of(bytes, 7, 3)
  local fields = {
    {"lane", 0, 1, tostring(lane)}, {"message", 0, 1, tostring(bytes[1] % 64)},
    {"part number", 1, 2, string.format("%d", number_of(bytes, 2, 2))},
    {"offset", 3, 3, string.format("%d", offset)}, {"total", 6, 3, string.format("%d", total)},
  }
  local name = "stream"
  if offset == 0 and messages[bytes[10]] then
    name = "stream: " .. messages[bytes[10]]
  end
  return string.format("%s, %d of %d bytes from %d", name, #bytes - 9, total, offset), fields
end

local function fragment_fields(bytes)
  if #bytes < 3 then
    return {}
  end
  local bits = number_of(bytes, 1, 3)
  return {
    {"last", 0, 1, tostring(math.floor(bits / 2 ^ 23))},
    {"offset", 0, 2, string.format("%d", math.floor(bits / 4096) % 2048)},
    {"back", 1, 2, string.format("%d", bits % 4096)},
  }
end

-- Returns a summary, and the fields of the payload of an opened frame.
function M.describe(text)
  local kind = text[#text]
  local payload = {}
  for i = 1, #text - 3 do
    payload[i] = text[i]
  end
  if kind == 1 then
    return control_fields(payload)
  elseif kind == 3 then
    return stream_fields(payload)
  elseif kind == 4 or kind == 5 then
    return kinds[kind], fragment_fields(payload)
  end
  return string.format("%s, %d bytes", kinds[kind], #payload), {}
end

-- Returns the name and the fields of a hello; nil if it is none of this version.
function M.hello(bytes)
  local layout = hellos[bytes[1]]
  if not layout or bytes[2] ~= 4 or #bytes ~= layout[2] then
    return nil
  end
  local fields = {}
  add_fields(fields, bytes, 3, layout, 3)
  return layout[1], fields
end

if not Proto then
  return M
end

-- --- Wireshark ---

local proto = Proto("pqc_mav", "PQC-MAV tunnel")
local f = {
  type = ProtoField.string("pqc_mav.type", "Type"),
  version = ProtoField.uint8("pqc_mav.version", "Version"),
  key_id = ProtoField.uint24("pqc_mav.key_id", "Key id", base.HEX),
  sequence = ProtoField.uint24("pqc_mav.sequence", "Sequence (low 24 bits)"),
  whole = ProtoField.uint64("pqc_mav.whole_sequence", "Sequence"),
  epoch = ProtoField.uint8("pqc_mav.epoch", "Epoch"),
  aead = ProtoField.string("pqc_mav.aead", "AEAD"),
  ciphertext = ProtoField.bytes("pqc_mav.ciphertext", "Ciphertext"),
  tag = ProtoField.bytes("pqc_mav.tag", "Tag"),
  payload = ProtoField.bytes("pqc_mav.payload", "Payload"),
  time = ProtoField.uint16("pqc_mav.time", "Time (1/64 s)"),
  kind = ProtoField.string("pqc_mav.kind", "Kind"),
  field = ProtoField.string("pqc_mav.field", "Field"),
}
local list = {}
for _, one in pairs(f) do
  table.insert(list, one)
end
proto.fields = list
proto.prefs.key_log = Pref.string(
  "Key log file", os.getenv("PQC_KEY_LOG") or "", "Keys that a debug build has written")
proto.prefs.ports = Pref.range("UDP ports", "46011-46012", "Ports of the encrypted side", 65535)

local keys = {}
local sequences = {}  -- by packet number and place, from the first pass

local function load_keys()
  keys, sequences = {}, {}
  local file = proto.prefs.key_log ~= "" and io.open(proto.prefs.key_log)
  if file then
    keys = M.read_keys(file:lines())
    file:close()
  end
end

local function bytes_of(tvb)
  local raw, bytes = tvb:bytes(), {}
  for i = 0, tvb:len() - 1 do
    bytes[i + 1] = raw:get_index(i)
  end
  return bytes
end

local function add(tree, tvb, fields)
  for _, one in ipairs(fields) do
    tree:add(f.field, tvb(one[2], one[3]), one[4]):set_text(one[1] .. ": " .. one[4])
  end
end

local function show_opened(tree, text, key, sequence, pinfo)
  local raw = ByteArray.new()
  raw:set_size(#text)
  for i, byte in ipairs(text) do
    raw:set_index(i - 1, byte)
  end
  local tvb = raw:tvb("Opened frame")
  local size = #text - 3
  tree:add(f.whole, UInt64.new(sequence % 2 ^ 32, math.floor(sequence / 2 ^ 32))):set_generated()
  tree:add(f.epoch, key.epoch):set_generated()
  tree:add(f.aead, aead_names[key.aead] or "unknown"):set_generated()
  local summary, fields = M.describe(text)
  local inner = tree:add(proto, tvb(), "Opened, tag not checked: " .. summary)
  if size > 0 then
    inner:add(f.payload, tvb(0, size))
  end
  inner:add(f.time, tvb(size, 2))
  inner:add(f.kind, tvb(size + 2, 1), kinds[text[#text]])
  add(inner, tvb, fields)
  pinfo.cols.info = summary
end

local function show_frame(tvb, pinfo, tree, bytes)
  local header = M.parse_header(bytes)
  tree:add(f.type, tvb(0, 1), "sealed frame")
  tree:add(f.key_id, tvb(0, 3), header.key_id)
  tree:add(f.sequence, tvb(3, 3))
  tree:add(f.ciphertext, tvb(header_size, tvb:len() - header_size - tag_size))
  tree:add(f.tag, tvb(tvb:len() - tag_size, tag_size))
  pinfo.cols.info = string.format("Frame, key %06x, sequence %d, %d bytes", header.key_id, header.sequence, #bytes - overhead)
  local place = pinfo.number .. "/" .. tvb:offset()
  local text, key, sequence = M.try_keys(bytes, keys, sequences[place])
  if text then
    sequences[place] = sequence
    show_opened(tree, text, key, sequence, pinfo)
  elseif key then
    tree:add(f.aead, aead_names[key.aead] or "unknown"):append_text(": not opened here")
  end
end

function proto.dissector(tvb, pinfo, tree)
  local first = tvb:len() > 1 and tvb(0, 1):uint() or 0
  if first < 0x40 or first >= 0xc0 then
    return 0
  end
  local bytes = bytes_of(tvb)
  local hello, fields = M.hello(bytes)
  if not hello and (first >= 0x80 or tvb:len() < overhead) then
    return 0
  end
  pinfo.cols.protocol = "PQC-MAV"
  local branch = tree:add(proto, tvb())
  if hello then
    branch:add(f.type, tvb(0, 1), hello)
    branch:add(f.version, tvb(1, 1))
    add(branch, tvb, fields)
    pinfo.cols.info = hello
  else
    show_frame(tvb, pinfo, branch, bytes)
  end
  return tvb:len()
end

local used_ports = ""
local function use_ports()
  local udp = DissectorTable.get("udp.port")
  if used_ports ~= "" then
    udp:remove(used_ports, proto)
  end
  used_ports = tostring(proto.prefs.ports)
  udp:add(used_ports, proto)
end
function proto.init()
  load_keys()
end
function proto.prefs_changed()
  use_ports()
  load_keys()
end
use_ports()

-- On other ports a hello begins the conversation.
proto:register_heuristic("udp", function(tvb, pinfo, tree)
  local length = tvb:len()
  if length ~= 152 and length ~= 66 and length ~= 35 or not M.hello(bytes_of(tvb)) then
    return false
  end
  proto.dissector(tvb, pinfo, tree)
  pinfo.conversation = proto
  return true
end)
