// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "os/replaced_file.hpp"
#include "support/scratch_dir.hpp"
#include "support/small_disk.hpp"

namespace pqc_tunnel
{
namespace
{

std::string contents(const std::filesystem::path & path)
{
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ReplacedFile open(const std::filesystem::path & path)
{
  auto file = ReplacedFile::open(path);
  EXPECT_TRUE(file) << (file ? "" : file.error().message);
  return std::move(*file);
}

std::string refusal(const std::filesystem::path & path)
{
  const auto file = ReplacedFile::open(path);
  return file ? "opened" : file.error().message;
}

// A file in an otherwise empty folder.
class AReplacedFile : public ::testing::Test
{
protected:
  bool is_alone() const
  {
    const std::filesystem::directory_iterator files(scratch_.path());
    return std::distance(begin(files), end(files)) == 1;
  }

  ScratchDir scratch_;
  const std::filesystem::path path_ = scratch_ / "status.json";
};

TEST_F(AReplacedFile, holds_the_newest_version)
{
  const ReplacedFile file = open(path_);
  EXPECT_FALSE(std::filesystem::exists(path_));
  for (const std::string text : {"a long first version", "second"}) {
    ASSERT_TRUE(file.replace(text));
    EXPECT_EQ(contents(path_), text);
    EXPECT_TRUE(is_alone());
  }
}

TEST_F(AReplacedFile, keeps_its_permissions)
{
  const ReplacedFile file = open(path_);
  ASSERT_TRUE(file.replace("first"));
  for (const mode_t mode : {0600u, 0664u}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    ASSERT_TRUE(file.replace("second"));
    struct stat status
    {
    };
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
  }
}

TEST_F(AReplacedFile, is_not_written_through_a_link_that_lies_in_its_way)
{
  const auto victim = scratch_.write("victim", "precious");
  std::filesystem::create_symlink(victim, path_.string() + ".new");
  const ReplacedFile file = open(path_);
  std::filesystem::create_symlink(victim, path_.string() + ".new");
  ASSERT_TRUE(file.replace("text"));
  EXPECT_EQ(contents(victim), "precious");
  EXPECT_EQ(contents(path_), "text");
}

TEST_F(AReplacedFile, is_refused_where_none_can_be)
{
  EXPECT_EQ(
    refusal(scratch_ / "nowhere/x"), "The file " + (scratch_ / "nowhere/x").string() +
                                       " can't be written: No such file or directory.");
  EXPECT_EQ(refusal(scratch_.path()), scratch_.path().string() + " is no regular file.");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null is no regular file.");
  std::filesystem::create_symlink("/dev/null", path_);
  EXPECT_EQ(refusal(path_), path_.string() + " is no regular file.");
  EXPECT_EQ(
    refusal(scratch_.path() / ""), (scratch_.path() / "").string() + " is no regular file.");
}

TEST_F(AReplacedFile, is_reached_through_links_of_its_own_user)
{
  std::filesystem::create_directories(scratch_ / "real/deep");
  std::filesystem::create_symlink("real", scratch_ / "link");
  std::filesystem::create_symlink(scratch_ / "link" / "deep", scratch_ / "absolute");
  std::filesystem::create_symlink("loop", scratch_ / "loop");
  ASSERT_TRUE(open(scratch_ / "absolute/../deep/status.json").replace("text"));
  EXPECT_EQ(contents(scratch_ / "real/deep/status.json"), "text");
  EXPECT_EQ(
    refusal(scratch_ / "loop/x"), "The file " + (scratch_ / "loop/x").string() +
                                    " can't be written: Too many levels of symbolic links.");
}

TEST_F(AReplacedFile, may_be_named_without_a_folder)
{
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch_.path());
  EXPECT_TRUE(open("status.json").replace("text"));
  std::filesystem::current_path(before);
  EXPECT_EQ(contents(path_), "text");
}

// A folder in which another user, too, may make files.
class AFileBesideAnotherUser : public AReplacedFile
{
protected:
  void SetUp() override
  {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "this needs the right to give files away";
    }
    ASSERT_EQ(::chmod(scratch_.path().c_str(), 0777), 0);
    std::filesystem::create_directory(elsewhere_);
  }

  static void give_away(const std::filesystem::path & path)
  {
    ASSERT_EQ(::lchown(path.c_str(), 12345, 12345), 0);
  }
  void plant_link(const std::filesystem::path & path) const
  {
    std::filesystem::create_symlink(elsewhere_, path);
    give_away(path);
  }
  static std::string told(const std::filesystem::path & path, const std::filesystem::path & link)
  {
    return "The file " + path.string() + " can't be written: " + link.string() +
           " on the way there is another user's symbolic link.";
  }

  const std::filesystem::path elsewhere_ = scratch_ / "elsewhere";
};

TEST_F(AFileBesideAnotherUser, is_not_made_where_that_user_s_link_leads)
{
  plant_link(scratch_ / "folder");
  const auto path = scratch_ / "folder/status.json";
  EXPECT_EQ(refusal(path), told(path, "folder"));
  // Nor where a link of its own leads to theirs.
  std::filesystem::create_symlink("folder", scratch_ / "own");
  EXPECT_EQ(refusal(scratch_ / "own/x"), told(scratch_ / "own/x", "folder"));
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere_));
}

TEST_F(AFileBesideAnotherUser, is_not_made_where_a_later_link_leads)
{
  const auto folder = scratch_ / "folder";
  std::filesystem::create_directory(folder);
  const ReplacedFile file = open(folder / "status.json");
  std::filesystem::remove(folder);
  plant_link(folder);
  const auto failed = file.replace("text");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, told(folder / "status.json", "folder"));
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere_));
}

TEST_F(AFileBesideAnotherUser, replaces_a_link_that_came_in_its_place_instead_of_following_it)
{
  const auto victim = scratch_.write("victim", "precious");
  const ReplacedFile file = open(path_);
  std::filesystem::create_symlink(victim, path_);
  give_away(path_);
  ASSERT_TRUE(file.replace("text"));
  EXPECT_EQ(contents(victim), "precious");
  EXPECT_EQ(contents(path_), "text");
}

TEST_F(AFileBesideAnotherUser, takes_no_permissions_from_a_file_of_that_user)
{
  scratch_.write("status.json", "");
  give_away(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 04777), 0);
  ASSERT_TRUE(open(path_).replace("text"));
  struct stat status
  {
  };
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07022, 0u);
  EXPECT_EQ(status.st_uid, 0u);
}

// What a file system does with a write that it has room for in part only, without being root.
class ALimitedFile : public AReplacedFile
{
protected:
  ALimitedFile()
  {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
  }
  ~ALimitedFile() override { ::setrlimit(RLIMIT_FSIZE, &before_); }

  void limit(rlim_t bytes) const
  {
    const rlimit limits{bytes, before_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limits), 0);
  }

private:
  rlimit before_{};
};

TEST_F(ALimitedFile, keeps_the_version_before_until_there_is_room_again)
{
  const ReplacedFile file = open(path_);
  ASSERT_TRUE(file.replace("good"));
  limit(64);
  const auto failed = file.replace(std::string(100, 'x'));
  limit(1000);
  ASSERT_FALSE(failed);
  EXPECT_EQ(
    failed.error().message, "The file " + path_.string() + " can't be written: File too large.");
  EXPECT_EQ(contents(path_), "good");
  EXPECT_TRUE(is_alone());
  EXPECT_TRUE(file.replace(std::string(100, 'y')));
  EXPECT_EQ(contents(path_), std::string(100, 'y'));
}

class AFileOnAFullDisk : public AReplacedFile
{
protected:
  void SetUp() override
  {
    if (!disk_.mounted()) {
      GTEST_SKIP() << "this needs the right to mount";
    }
  }

  void fill_disk() const
  {
    std::ofstream filler(scratch_ / "filler");
    while (filler.put('#').flush()) {
    }
  }

private:
  const SmallDisk disk_{scratch_.path(), "size=32k"};
};

TEST_F(AFileOnAFullDisk, keeps_the_version_before_until_there_is_room_again)
{
  const ReplacedFile file = open(path_);
  ASSERT_TRUE(file.replace("good"));
  fill_disk();
  const auto failed = file.replace("newer");
  ASSERT_FALSE(failed);
  EXPECT_EQ(
    failed.error().message,
    "The file " + path_.string() + " can't be written: No space left on device.");
  EXPECT_EQ(contents(path_), "good");
  open(path_);  // a disk that is full today is no reason to refuse
  std::filesystem::remove(scratch_ / "filler");
  EXPECT_TRUE(is_alone());
  EXPECT_TRUE(file.replace("newer"));
  EXPECT_EQ(contents(path_), "newer");
}

}  // namespace
}  // namespace pqc_tunnel
