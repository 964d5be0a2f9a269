// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-of.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-run-folder.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
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

int g_callsLeft = -1; //!< until the process is killed

void
CountCall()
{
    if (g_callsLeft > 0 && --g_callsLeft == 0)
    {
        kill(getpid(), SIGKILL);
    }
}

template <typename F>
F
Next(F /* this function */, const char* name)
{
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

} // namespace

// In place of the C library's, for the module's library, too.
extern "C"
{
    int rename(const char* from, const char* to)
    {
        CountCall();
        return Next(rename, "rename")(from, to);
    }

    int unlink(const char* path)
    {
        CountCall();
        return Next(unlink, "unlink")(path);
    }

    int remove(const char* path)
    {
        CountCall();
        return Next(remove, "remove")(path);
    }
}

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

    /// A run that leaves these files, each with the same text.
    void RunWhole(const std::vector<std::string>& names, const std::string& text) const
    {
        RunFolder folder(m_path.string());
        for (const std::string& name : names)
        {
            std::ofstream(folder.Add(name)) << text;
        }
        folder.KeepUnfinished();
        folder.Commit(nlohmann::ordered_json::object());
    }

    /// Files of the folder but the list of a run that died, whose text has inodes.
    Contents LookPastTheList() const
    {
        Contents contents = Look();
        EXPECT_EQ(contents[".unfinished"].substr(0, 13), "ns-3-roce run");
        contents.erase(".unfinished");
        return contents;
    }

    /// A run that leaves these files as RunWhole() does, and dies at the nth call of rename(),
    /// unlink() and remove().
    void RunKilled(const std::vector<std::string>& names, const std::string& text, int nth) const
    {
        const pid_t child = fork();
        if (child == 0)
        {
            g_callsLeft = nth;
            RunWhole(names, text);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
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
        fs::remove(m_path / "flows.csv.tmp"); // something goes wrong
        EXPECT_THROW(folder.Commit(nlohmann::ordered_json::object()), InputError);
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
    const Contents remains = Look();
    EXPECT_EQ(LookPastTheList(), (Contents{{"flows.csv.tmp", "x"}, {"queues.csv.tmp", "y"}}));
    {
        RunFolder folder(m_path.string()); // ended by bad input: they are still somebody's
        folder.Add("rates.csv");
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
    for (const char* text : {"{ broken",
                             "{}",
                             "[]",
                             "",
                             R"({"files": ["notes.txt"]})",
                             R"({"files": ["flows.csv", "summary.json"]})"})
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
        R"({"format": 1, "versions": {}, "files": ["../outside.txt", "..", "", "\u0000", "a\nb", ")" +
            std::string(300, 'x') + R"(", "folder", 7, "summary.json"]})");
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
        folder.Commit(nlohmann::ordered_json::object());
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
        folder.Commit(nlohmann::ordered_json::object());
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
    EXPECT_EQ(LookPastTheList(), (Contents{{"flows.csv.tmp", "x"}}));
    RunWhole({"queues.csv"}, "y");
    EXPECT_EQ(Look(), (Contents{{"queues.csv", "y"}, {"summary.json", "..."}}));
}

// Killed at any change of a name: all of the old result, or all of the new one.
TEST_F(RunFolderTest, KilledWhileCommitWorks)
{
    std::set<std::string> found;
    for (int nth = 1; nth <= 12; ++nth)
    {
        fs::remove_all(m_path);
        RunWhole({"flows.csv", "old.csv"}, "first");
        const Contents first = Look();
        RunKilled({"flows.csv", "rates.csv"}, "second", nth);
        const bool isCommitted = fs::exists(m_path / ".commit");
        {
            RunFolder look(m_path.string());
        }
        Contents now = Look();
        for (const char* remnant :
             {".unfinished", ".commit.tmp", "flows.csv.tmp", "rates.csv.tmp", "summary.json.tmp"})
        {
            now.erase(remnant);
        }
        const Contents second{{"flows.csv", "second"},
                              {"rates.csv", "second"},
                              {"summary.json", "..."}};
        EXPECT_TRUE(now == first || now == second) << nth;
        EXPECT_TRUE(now == second || !isCommitted) << nth;
        found.insert(now == first ? "old" : isCommitted ? "brought to its end" : "new");
        // Nor is anything in the way of the next.
        RunWhole({"flows.csv"}, "third");
        EXPECT_EQ(Look(), (Contents{{"flows.csv", "third"}, {"summary.json", "..."}})) << nth;
    }
    EXPECT_EQ(found, (std::set<std::string>{"brought to its end", "new", "old"}));
}

// A journal that somebody has made up moves and removes nothing.
TEST_F(RunFolderTest, AJournalGivesNoRightToFilesOfOthers)
{
    for (const char* journal : {R"({"files": ["thesis.tex", "summary.json"], "remove": []})",
                                R"({"files": ["summary.json"], "remove": ["thesis.tex"]})",
                                R"({"files": ["summary.json"], "remove": ["flows.csv"]})",
                                R"({"files": ["flows.csv"], "remove": []})",
                                R"({"files": ["../x", "summary.json"], "remove": ["../outside"]})",
                                "mine",
                                ""})
    {
        fs::remove_all(m_path);
        RunWhole({"flows.csv"}, "a run's");
        std::ofstream(m_root / "outside") << "keep";
        Put("thesis.tex", "mine");
        Put("thesis.tex.tmp", "mine, too");
        fs::copy(m_path / "summary.json", m_path / "summary.json.tmp");
        Put("flows.csv", "changed by hand");
        Put(".commit", journal);
        const Contents before = Look();
        EXPECT_EQ(ErrorOfRun().find((m_path / ".commit").string()), 0u) << ErrorOfRun();
        EXPECT_EQ(Look(), before) << journal;
        fs::remove(m_path / "summary.json.tmp"); // as if all files had their names
        EXPECT_EQ(ErrorOfRun().find((m_path / ".commit").string()), 0u) << ErrorOfRun();
        EXPECT_TRUE(fs::exists(m_root / "outside"));
    }
}

TEST_F(RunFolderTest, TemporaryFilesOfOthersAreNotTouched)
{
    Put("flows.csv.tmp", "mine");
    std::ofstream(m_root / "outside") << "keep";
    fs::create_symlink(m_root / "outside", m_path / "queues.csv.tmp");
    fs::create_symlink(m_root / "nowhere", m_path / "rates.csv.tmp");
    for (const char* name : {"flows.csv", "queues.csv", "rates.csv"})
    {
        const std::string expected = (m_path / name).string() +
                                     ".tmp: is not from a run (.unfinished does not have it), "
                                     "expected another folder for the results";
        RunFolder folder(m_path.string());
        EXPECT_EQ(ErrorOf([&] { folder.Check(name); }), expected);
        EXPECT_EQ(ErrorOf([&] { folder.Add(name); }), expected);
    }
    // Nor if the list has their names: it says which file it means.
    Put(".unfinished", "ns-3-roce run\nflows.csv\nflows.csv\t12.34.56\nqueues.csv\n");
    {
        RunFolder folder(m_path.string());
        EXPECT_NE(ErrorOf([&] { folder.Add("flows.csv"); }), "no error");
        EXPECT_NE(ErrorOf([&] { folder.Add("queues.csv"); }), "no error");
    }
    RunWhole({"other.csv"}, "x");
    EXPECT_EQ(Look().at("flows.csv.tmp"), "mine");
    std::ifstream in(m_root / "outside");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "keep");
    EXPECT_FALSE(fs::exists(m_root / "nowhere"));
}

TEST_F(RunFolderTest, TheListIsNoFileOfOthers)
{
    std::ofstream(m_root / "outside") << "keep";
    fs::create_directories(m_path);
    fs::create_symlink(m_root / "outside", m_path / ".unfinished");
    const std::string list = (m_path / ".unfinished").string();
    EXPECT_EQ(ErrorOfRun(), list + ": is a symbolic link, expected none or the list of a run");
    EXPECT_EQ(fs::file_size(m_root / "outside"), 4u);
    fs::remove(m_path / ".unfinished");
    Put(".unfinished", "buy milk\n");
    EXPECT_EQ(ErrorOfRun(), list + ": is not the list of a run, expected none or one");
    EXPECT_EQ(Look().at(".unfinished"), "buy milk\n");
    for (const char* text : {"", "ns-3", "ns-3-roce run\nflows.csv\nflows.csv\t12"}) // died early
    {
        Put(".unfinished", text);
        if (std::strstr(text, "flows.csv"))
        {
            Put("flows.csv.tmp", ""); // made, and nothing is in it
        }
        RunWhole({"flows.csv"}, "x");
        EXPECT_EQ(Look(), (Contents{{"flows.csv", "x"}, {"summary.json", "..."}})) << text;
    }
}

// A file that somebody has changed is not the run's any more.
TEST_F(RunFolderTest, ASummaryGivesNoRightToOtherContents)
{
    RunWhole({"flows.csv", "rates.csv", "old.csv"}, "first");
    Put("flows.csv", "changed");
    Put("rates.csv", "Erste"); // of the same size
    Put("old.csv", "mine");
    const Contents before = Look();
    {
        RunFolder folder(m_path.string());
        for (const char* name : {"flows.csv", "rates.csv"})
        {
            EXPECT_EQ(ErrorOf([&] { folder.Add(name); }),
                      (m_path / name).string() +
                          ": is not as the earlier run has left it (summary.json has another size "
                          "or SHA-256), expected another folder for the results");
        }
    }
    EXPECT_EQ(Look(), before);
    RunWhole({"queues.csv"}, "second");
    EXPECT_EQ(Look().at("old.csv"), "mine");
    // A summary without manifest lets its files be replaced, and does not have them removed.
    Put("summary.json",
        R"({"format": 1, "versions": {}, "files": ["flows.csv", "old.csv", "summary.json"]})");
    RunWhole({"flows.csv"}, "third");
    EXPECT_EQ(Look().at("flows.csv"), "third");
    EXPECT_EQ(Look().at("old.csv"), "mine");
}

TEST_F(RunFolderTest, TheManifestHasEveryFile)
{
    {
        RunFolder folder(m_path.string());
        std::ofstream(folder.Add("rows.csv")) << "a,b\n1,2\n\"x\ny\",3\n";
        std::ofstream(folder.Add("abc.txt")) << "abc";
        folder.Commit({{"seed", 7}});
    }
    std::ifstream in(m_path / "summary.json");
    const auto summary = nlohmann::json::parse(in);
    EXPECT_EQ(summary["seed"], 7);
    const auto& outputs = summary["manifest"]["outputs"];
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0]["name"], "rows.csv");
    EXPECT_EQ(outputs[0]["bytes"], 16);
    EXPECT_EQ(outputs[0]["rows"], 2);
    // The example of FIPS 180-4.
    EXPECT_EQ(outputs[1]["sha256"],
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_FALSE(outputs[1].contains("rows"));
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
