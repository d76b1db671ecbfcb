// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__SMALL_DISK_HPP_
#define SUPPORT__SMALL_DISK_HPP_

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace pqc_tunnel
{

// A disk in memory over an empty folder, which only this process sees.
class SmallDisk
{
public:
  explicit SmallDisk(std::filesystem::path folder, const std::string & options = "")
  : folder_(std::move(folder)),
    mounted_(is_apart() && ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options.c_str()) == 0)
  {
  }
  ~SmallDisk()
  {
    if (mounted_) {
      ::umount2(folder_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk &) = delete;
  SmallDisk & operator=(const SmallDisk &) = delete;

  // False without the right to mount.
  bool mounted() const { return mounted_; }

  // Leaves room for so many more files or folders, and pages of their contents.
  bool leave_room(std::size_t files, std::size_t pages) const
  {
    struct statvfs usage
    {
    };
    if (::statvfs(folder_.c_str(), &usage) != 0) {
      return false;
    }
    const std::string options =
      "nr_inodes=" + std::to_string(usage.f_files - usage.f_ffree + files) +
      ",size=" + std::to_string((usage.f_blocks - usage.f_bfree + pages) * usage.f_bsize);
    return ::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, options.c_str()) == 0;
  }

private:
  // What this process mounts from now on is its own.
  static bool is_apart()
  {
    static const bool apart = (::unshare(CLONE_NEWNS) == 0 || is_apart_as_user()) &&
                              ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return apart;
  }
  static bool is_apart_as_user()
  {
    const std::string user = std::to_string(::geteuid());
    const std::string group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return false;
    }
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user << " " << user << " 1";
    std::ofstream("/proc/self/gid_map") << group << " " << group << " 1";
    return true;
  }

  std::filesystem::path folder_;
  bool mounted_;
};

}  // namespace pqc_tunnel

#endif  // SUPPORT__SMALL_DISK_HPP_
