// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "terminal.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "os/file_descriptor.hpp"
#ifdef PQC_TUNNEL_QRENCODE
#include <qrencode.h>
#endif

namespace pqc_tunnel::cli
{
namespace
{

constexpr std::size_t longest_line = 256;

Result<FileDescriptor> open_terminal()
{
  FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) {
    return fail(
      ErrorCode::unavailable,
      "The code is shown and typed at a terminal, and this process has none: use one, or --code.");
  }
  return terminal;
}

// Switches the echo of a terminal off for as long as it exists.
class Silence
{
public:
  explicit Silence(int fd) : fd_(fd), set_(::tcgetattr(fd, &before_) == 0)
  {
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    set_ = set_ && ::tcsetattr(fd_, TCSAFLUSH, &silent) == 0;
  }
  ~Silence()
  {
    if (set_) {
      ::tcsetattr(fd_, TCSAFLUSH, &before_);
    }
  }
  Silence(const Silence &) = delete;
  Silence & operator=(const Silence &) = delete;

private:
  int fd_;
  termios before_ = {};
  bool set_;
};

}  // namespace

Result<void> show_on_terminal(ByteView text)
{
  const auto terminal = open_terminal();
  if (!terminal) {
    return tl::make_unexpected(terminal.error());
  }
  if (!write_whole(terminal->get(), text)) {
    return fail(ErrorCode::unavailable, "The terminal takes no text.");
  }
  return {};
}

Result<SecretBytes> ask_on_terminal(std::string_view question)
{
  const auto terminal = open_terminal();
  if (!terminal) {
    return tl::make_unexpected(terminal.error());
  }
  const Silence silence(terminal->get());
  write_whole(terminal->get(), bytes_of(question));
  SecretBytes line(longest_line);
  std::size_t size = 0;
  while (size < longest_line) {
    std::uint8_t & next = line.span()[size];
    if (::read(terminal->get(), &next, 1) != 1 || next == '\n') {
      break;
    }
    ++size;
  }
  write_whole(terminal->get(), bytes_of("\n"));
  return SecretBytes::copy_of(line.view().first(size));
}

SecretBytes qr_code(ByteView text)
{
#ifdef PQC_TUNNEL_QRENCODE
  struct Free
  {
    void operator()(QRcode * code) const
    {
      std::fill_n(code->data, code->width * code->width, std::uint8_t{0});
      QRcode_free(code);
    }
  };
  const std::unique_ptr<QRcode, Free> code(
    QRcode_encodeData(static_cast<int>(text.size()), text.data(), 0, QR_ECLEVEL_M));
  if (!code) {
    return {};
  }
  constexpr int quiet = 2;  // light modules around
  const int width = code->width;
  const auto dark = [&](int x, int y) {
    return x >= 0 && y >= 0 && x < width && y < width && (code->data[y * width + x] & 1) != 0;
  };
  // Light is the block: terminals have light letters on a dark ground.
  constexpr std::string_view halves[2][2] = {{"█", "▀"}, {"▄", " "}};
  const std::size_t side = static_cast<std::size_t>(width) + std::size_t{2} * quiet;
  SecretBytes drawn((side * 3 + 1) * (side / 2 + 1));
  std::size_t at = 0;
  for (int y = -quiet; y < width + quiet; y += 2) {
    for (int x = -quiet; x < width + quiet; ++x) {
      const std::string_view half = halves[dark(x, y) ? 1 : 0][dark(x, y + 1) ? 1 : 0];
      std::ranges::copy(half, drawn.span().begin() + static_cast<std::ptrdiff_t>(at));
      at += half.size();
    }
    drawn.span()[at++] = '\n';
  }
  return SecretBytes::copy_of(drawn.view().first(at));
#else
  (void)text;
  return {};
#endif
}

}  // namespace pqc_tunnel::cli
