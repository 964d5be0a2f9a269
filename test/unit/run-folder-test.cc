/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "../roce-error-of.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-run-folder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3::roce;
using ns3::roce::test::ErrorOf;
namespace fs = std::filesystem;

namespace
{

/// What is in a folder: contents by name.
using Contents = std::map<std::string, std::string>;

/// A folder of its own for each test, removed afterwards.
class RunFolderTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        std::string name = (fs::temp_directory_path() / "roce-run-folder-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        m_root = name;
        m_path = m_root / "run";
    }

    void TearDown() override
    {
        fs::remove_all(m_root);
    }

    void Put(const std::string& name, const std::string& text) const
    {
        fs::create_directories(m_path);
        std::ofstream(m_path / name) << text;
    }

    /// Files of the folder but summary.json, whose text depends on the library.
    Contents Look() const
    {
        Contents contents;
        for (const auto& entry : fs::directory_iterator(m_path))
        {
            std::ifstream in(entry.path());
            const std::string name = entry.path().filename().string();
            contents[name] = name.compare(0, 7, "summary") == 0
                                 ? "..."
                                 : std::string(std::istreambuf_iterator<char>(in), {});
        }
        return contents;
    }

    static void WriteSummary(const std::string& path, const std::vector<std::string>& names)
    {
        std::ofstream(path) << nlohmann::json{{"files", names}};
    }

    /// A run that leaves these files, each with the same text.
    void RunWhole(const std::vector<std::string>& names, const std::string& text) const
    {
        RunFolder folder(m_path.string());
        for (const std::string& name : names)
        {
            std::ofstream(folder.Add(name)) << text;
        }
        folder.KeepUnfinished();
        folder.Commit(WriteSummary);
    }

    std::string ErrorOfRun() const
    {
        return ErrorOf([this] { RunFolder folder(m_path.string()); });
    }

    fs::path m_root;
    fs::path m_path;
};

} // namespace

TEST_F(RunFolderTest, TheEarlierResultStaysUntilTheNewOneIsWhole)
{
    RunWhole({"flows.csv", "nic0.pcap"}, "first");
    const Contents first{{"flows.csv", "first"}, {"nic0.pcap", "first"}, {"summary.json", "..."}};
    EXPECT_EQ(Look(), first);
    {
        RunFolder folder(m_path.string());
        std::ofstream(folder.Add("flows.csv")) << "second";
        // The summary cannot be written: a full disk.
        EXPECT_THROW(folder.Commit([](const auto&, const auto&) { throw InputError("full"); }),
                     InputError);
    }
    EXPECT_EQ(Look(), first);
    RunWhole({"flows.csv", "queues.csv"}, "second");
    // The capture of the first run would look like one of the second.
    EXPECT_EQ(
        Look(),
        (Contents{{"flows.csv", "second"}, {"queues.csv", "second"}, {"summary.json", "..."}}));
}

TEST_F(RunFolderTest, BadInputLeavesNothing)
{
    {
        RunFolder folder(m_path.string());
        std::ofstream(folder.Add("flows.csv")) << "x";
        EXPECT_TRUE(fs::exists(m_path / "flows.csv.tmp"));
    }
    EXPECT_FALSE(fs::exists(m_path));
}

TEST_F(RunFolderTest, RemainsOfARunThatDiedGoWithTheNextWholeOne)
{
    {
        RunFolder folder(m_path.string());
        std::ofstream(folder.Add("flows.csv")) << "x";
        std::ofstream(folder.Add("queues.csv")) << "y";
        folder.KeepUnfinished();
    } // dies
    const Contents remains{{".unfinished", "flows.csv\nqueues.csv\n"},
                           {"flows.csv.tmp", "x"},
                           {"queues.csv.tmp", "y"}};
    EXPECT_EQ(Look(), remains);
    {
        RunFolder folder(m_path.string()); // ended by bad input: they are still somebody's
    }
    EXPECT_EQ(Look(), remains);
    Put("mine.csv.tmp", "not of a run");
    RunWhole({"flows.csv"}, "z");
    EXPECT_EQ(
        Look(),
        (Contents{{"flows.csv", "z"}, {"mine.csv.tmp", "not of a run"}, {"summary.json", "..."}}));
}

TEST_F(RunFolderTest, FilesOfOthersAreNotTouched)
{
    Put("notes.txt", "mine");
    Put("flows.csv", "mine, too");
    const Contents before = Look();
    {
        RunFolder folder(m_path.string());
        const std::string file = (m_path / "flows.csv").string();
        const std::string expected =
            file + ": is not from an earlier run (no summary.json lists it), expected another "
                   "folder for the results";
        EXPECT_EQ(ErrorOf([&] { folder.Check("flows.csv"); }), expected);
        EXPECT_EQ(ErrorOf([&] { folder.Add("flows.csv"); }), expected);
    }
    EXPECT_EQ(Look(), before);
    fs::remove(m_path / "flows.csv");
    RunWhole({"flows.csv"}, "a run's");
    EXPECT_EQ(Look().at("notes.txt"), "mine");
}

TEST_F(RunFolderTest, ASummaryThatIsNotARunsIsNotReplacedAndGivesNoRight)
{
    for (const char* text : {"{ broken", "{}", "[]", "", R"({"files": ["notes.txt"]})"})
    {
        Put("summary.json", text);
        EXPECT_NE(ErrorOfRun().find("summary.json: is not from an earlier run"), std::string::npos)
            << text;
    }
    // Nor can a summary reach outside the folder.
    std::ofstream(m_root / "outside.txt") << "keep";
    // What it lists may be nonsense.
    fs::create_directories(m_path / "folder" / "full");
    Put("summary.json",
        R"({"files": ["../outside.txt", "..", "", "\u0000", "a\nb", ")" + std::string(300, 'x') +
            R"(", "folder", 7, "summary.json"]})");
    RunWhole({"flows.csv"}, "x");
    EXPECT_TRUE(fs::exists(m_root / "outside.txt"));
    EXPECT_TRUE(fs::exists(m_path / "folder" / "full"));
    fs::remove_all(m_path / "folder");
    EXPECT_EQ(Look(), (Contents{{"flows.csv", "x"}, {"summary.json", "..."}}));
}

TEST_F(RunFolderTest, InputsAreNotReplaced)
{
    RunWhole({"flows.csv", "rates.csv"}, "first");
    Put("queues.csv.tmp", "a strange name for an input");
    for (const char* name : {"flows.csv", "queues.csv.tmp", "rates.csv"})
    {
        InputFile::Open((m_path / "." / name).string(), "text"); // the same file by another name
    }
    {
        RunFolder folder(m_path.string());
        EXPECT_EQ(ErrorOf([&] { folder.Check("flows.csv"); }),
                  (m_path / "flows.csv").string() +
                      ": this run reads it, expected another folder for the results");
        EXPECT_EQ(ErrorOf([&] { folder.Check("queues.csv"); }),
                  (m_path / "queues.csv.tmp").string() +
                      ": this run reads it, expected another folder for the results");
    }
    // Not as a file that the new result has no more, either.
    {
        RunFolder folder(m_path.string());
        std::ofstream(folder.Add("pfc.csv")) << "second";
        folder.Commit(WriteSummary);
    }
    EXPECT_EQ(Look().at("flows.csv"), "first");
    EXPECT_EQ(Look().at("rates.csv"), "first");
}

TEST_F(RunFolderTest, FoldersInTheWayAreNamed)
{
    fs::create_directories(m_path / "summary.json");
    const std::string summary = (m_path / "summary.json").string();
    EXPECT_EQ(ErrorOfRun(), summary + ": is a folder, expected none or a file of an earlier run");
    fs::remove(m_path / "summary.json");
    fs::create_directories(m_path / "flows.csv.tmp");
    RunFolder folder(m_path.string());
    EXPECT_EQ(ErrorOf([&] { folder.Add("flows.csv"); }),
              (m_path / "flows.csv.tmp").string() +
                  ": is a folder, expected none or a file of an earlier run");
}

TEST_F(RunFolderTest, OneRunAtATime)
{
    const std::string taken =
        m_path.string() +
        ": another run is writing there, expected a folder of its own for each run";
    {
        RunFolder folder(m_path.string());
        EXPECT_EQ(ErrorOfRun(), taken);
        EXPECT_EQ(ErrorOfRun(), taken); // the refused one has not taken the lock away
        std::ofstream(folder.Add("flows.csv")) << "x";
        folder.Commit(WriteSummary);
        EXPECT_EQ(ErrorOfRun(), "no error");
    }
    EXPECT_EQ(ErrorOfRun(), "no error");
    EXPECT_FALSE(fs::exists(m_path / ".unfinished"));
}

// A process that is killed leaves the list, but no lock.
TEST_F(RunFolderTest, TheLockEndsWithTheProcess)
{
    const pid_t child = fork();
    if (child == 0)
    {
        RunFolder folder(m_path.string());
        std::ofstream(folder.Add("flows.csv")) << "x";
        folder.KeepUnfinished();
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(Look(), (Contents{{".unfinished", "flows.csv\n"}, {"flows.csv.tmp", "x"}}));
    RunWhole({"queues.csv"}, "y");
    EXPECT_EQ(Look(), (Contents{{"queues.csv", "y"}, {"summary.json", "..."}}));
}

// Killed while Commit() works: the files are still known as those of runs.
TEST_F(RunFolderTest, KilledBetweenTwoRenames)
{
    RunWhole({"flows.csv", "old.csv"}, "first");
    Put("flows.csv", "second");
    Put("rates.csv", "second");
    fs::rename(m_path / "summary.json", m_path / "summary.json.old.tmp");
    WriteSummary((m_path / "summary.json.tmp").string(),
                 {"flows.csv", "rates.csv", "queues.csv", "summary.json"});
    Put("queues.csv.tmp", "second");
    Put(".unfinished", "flows.csv\nrates.csv\nqueues.csv\nsummary.json\n");
    RunWhole({"flows.csv"}, "third");
    EXPECT_EQ(Look(), (Contents{{"flows.csv", "third"}, {"summary.json", "..."}}));
}

TEST_F(RunFolderTest, NamesAreChecked)
{
    RunFolder folder(m_path.string());
    folder.Add("flows.csv");
    for (const char* name : {"", ".", "..", "a/b", "../x", "flows.csv"})
    {
        EXPECT_THROW(folder.Add(name), std::logic_error) << name;
    }
}
