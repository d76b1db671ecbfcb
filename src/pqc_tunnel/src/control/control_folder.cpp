// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "control_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "net/sockets.hpp"
#include "os/processes.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

fs::path environment_path(const char * name)
{
  const char * const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set here
  return value == nullptr ? "" : value;
}

Result<void> check_folder(const std::string & folder, bool whoever_owns_it)
{
  struct stat status
  {
  };
  if (::lstat(folder.c_str(), &status) != 0) {
    return fail(
      ErrorCode::unavailable,
      "The folder of control sockets " + folder + " can't be opened: " + error_text(errno) + ".");
  }
  if (!S_ISDIR(status.st_mode)) {
    return fail(
      ErrorCode::permission, "The folder of control sockets " + folder + " is no folder.");
  }
  if (status.st_uid != ::geteuid() && !whoever_owns_it) {
    return fail(
      ErrorCode::permission, "The folder of control sockets " + folder + " belongs to " +
                               user_name(status.st_uid) + "; PQC_RUN_DIR can name another one.");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(
      ErrorCode::permission,
      "The folder of control sockets " + folder + " is open to other users; chmod 700 closes it.");
  }
  return {};
}

}  // namespace

fs::path control_folder()
{
  if (fs::path given = environment_path("PQC_RUN_DIR"); !given.empty()) {
    return given;
  }
  struct stat service
  {
  };
  if (::geteuid() == 0 || (::stat(service_folder, &service) == 0 && service.st_uid == ::geteuid()))
  {
    return service_folder;
  }
  if (const fs::path runtime = environment_path("XDG_RUNTIME_DIR"); !runtime.empty()) {
    return runtime / "pqc";
  }
  const std::string user = std::to_string(::geteuid());
  std::error_code ignored;
  const fs::path of_user = fs::path("/run/user") / user;
  return fs::is_directory(of_user, ignored) ? of_user / "pqc" : fs::path("/tmp/pqc-" + user);
}

fs::path control_path(const std::string & tunnel) { return control_folder() / (tunnel + ".sock"); }

// Only root gives somebody a folder in /run.
Result<void> check_control_folder()
{
  const std::string folder = control_folder().string();
  return check_folder(folder, folder == service_folder && ::geteuid() == 0);
}

Result<void> make_control_folder()
{
  const std::string folder = control_folder().string();
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(
      ErrorCode::unavailable,
      "The folder of control sockets " + folder + " can't be made: " + error_text(errno) + ".");
  }
  return check_folder(folder, false);
}

}  // namespace pqc_tunnel::cli
