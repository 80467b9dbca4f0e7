#include "profiler/store/shared_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lanescope::profiler {

using List = SharedList<std::string, 4>;

static std::vector<std::string> contents(const List& list) {
    return {list.begin(), list.end()};
}

TEST(SharedList, ReadsLikeAVector) {
    List list{"a", "b", "c", "d", "e"};
    EXPECT_EQ(list.size(), 5U);
    EXPECT_EQ(list[4], "e");
    EXPECT_EQ(list.front(), "a");
    EXPECT_EQ(list.back(), "e");
    EXPECT_EQ(list.end() - list.begin(), 5);
    EXPECT_EQ(contents(list), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST(SharedList, AppendingLeavesCopiesAlone) {
    List list{"a"};
    const List before = list;
    list.push_back("b");
    EXPECT_EQ(contents(before), std::vector<std::string>{"a"});
    EXPECT_EQ(contents(list), (std::vector<std::string>{"a", "b"}));
}

TEST(SharedList, TwoCopiesThatBothAppendDoNotMix) {
    List list{"a"};
    List other = list;
    list.push_back("mine");
    other.push_back("theirs");
    list.push_back("mine2");
    EXPECT_EQ(contents(list), (std::vector<std::string>{"a", "mine", "mine2"}));
    EXPECT_EQ(contents(other), (std::vector<std::string>{"a", "theirs"}));
}

TEST(SharedList, EditAndReplaceAndTruncateLeaveCopiesAlone) {
    List list{"a", "b", "c", "d", "e"};
    const List before = list;
    list.edit(1) = "B";
    list.replace(4, "E");
    list.truncate(5);
    EXPECT_EQ(contents(list), (std::vector<std::string>{"a", "B", "c", "d", "E"}));
    list.truncate(2);
    list.push_back("z");
    EXPECT_EQ(contents(list), (std::vector<std::string>{"a", "B", "z"}));
    EXPECT_EQ(contents(before), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST(SharedList, KnowsWhichChunksAreTheSame) {
    List list{"a", "b", "c", "d", "e"};
    const List before = list;
    list.push_back("f");
    EXPECT_TRUE(list.sharesChunk(before, 0));
    EXPECT_FALSE(list.sharesChunk(before, 1)) << "the same memory, but one element more";
    list.edit(0) = "A";
    EXPECT_FALSE(list.sharesChunk(before, 0));
}

}  // namespace lanescope::profiler
