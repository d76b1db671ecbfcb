-- Copyright 2026 The PQC-MAV Authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Prints what config/wireshark/pqc_mav.lua makes of each datagram of a capture, without Wireshark.
--   lua read_capture.lua DISSECTOR CAPTURE [KEY_LOG]
-- The capture is pcap as the test writes it: raw IPv4 and UDP headers of 28 bytes, little-endian.

local dissector, capture, key_log = ...
local M = dofile(dissector)
local keys = key_log and M.read_keys(io.lines(key_log)) or {}
local file = assert(io.open(capture, "rb"))
file:read(24)
while true do
  local record = file:read(16)
  if not record then
    break
  end
  local a, b, c, d = record:byte(9, 12)
  local packet = file:read(a + b * 2 ^ 8 + c * 2 ^ 16 + d * 2 ^ 24)
  local bytes = {packet:byte(29, -1)}
  local hello = M.hello(bytes)
  if hello then
    print(hello)
  else
    local header = M.parse_header(bytes)
    local text, key, sequence = M.try_keys(bytes, keys)
    local what = text and M.describe(text) or (key and "not opened" or "no key")
    local plain = ""
    if text and text[#text] == 0 then
      for i = 1, #text - 3 do
        plain = plain .. string.char(text[i])
      end
    end
    print(string.format("%06x %d: %s %s", header.key_id, sequence or header.sequence, what, plain))
  end
end
