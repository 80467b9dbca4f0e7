#pragma once
// Which tokens of which requests the next pass computes: admission, chunks of prompts beside steps
// of decoding under a budget of tokens (arXiv 2308.16369), preemption when blocks run out,
// priorities and fair shares (arXiv 2401.00588). Knows blocks and numbers, no model and no clock of
// its own: the same calls give the same plans. Read next: batch_engine.h, which carries plans out.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/cache/block_pool.h"

namespace lanescope {

/// When a waiting request may start. Continuous: whenever there is room. Static: a batch is filled
/// while nothing runs and then runs to its last request's end; rows of requests that have ended are
/// computed on, as a batch of one shape does. Sequential: one at a time.
enum class BatchPolicy : std::uint8_t { Continuous, Static, Sequential };
/// Chunked: prompts are computed in pieces beside the others' steps. PrefillFirst: while a prompt
/// is computed nobody decodes.
enum class PromptMixing : std::uint8_t { Chunked, PrefillFirst };
/// Among requests of one priority. Arrival: first come, first served. ByClient: the client that got
/// the fewest tokens so far goes first.
enum class Fairness : std::uint8_t { Arrival, ByClient };

struct BatchSettings {
    BatchPolicy policy = BatchPolicy::Continuous;
    PromptMixing mixing = PromptMixing::Chunked;
    Fairness fairness = Fairness::ByClient;
    std::int64_t maxRunning = 16;
    std::int64_t tokenBudget = 256;  ///< of a pass; at least maxRunning
    bool reusePrefixes = true;
    /// Waiting so long raises a request's priority by one, so that none waits for ever.
    double agingSeconds = 10.0;
    /// What follows a prompt is computed one token a pass also when it is computed again (models
    /// whose rotation follows the length of the call, lanes that evict by weight).
    bool singleStepsAfterPrompt = false;
    /// Called when tokens of a sequence have been computed: gives up what nobody will look at.
    std::function<void(std::int32_t id, BlockTable&, std::int64_t nTokens)> settle = {};
};

/// A request as it is handed in.
struct BatchJob {
    std::int32_t id = 0;
    std::vector<BlockPool::Token> prompt;  ///< at least one
    int priority = 0;                      ///< higher goes first
    std::string client;                    ///< whose it is; empty is one client too
};

/// One request's part of a pass: tokens [begin, begin + nTokens) of its sequence.
struct BatchShare {
    std::int32_t id = 0;
    std::int64_t begin = 0;
    std::int64_t nTokens = 0;
    bool decides = false;  ///< its last token's logits choose the next one
    bool prompt = false;   ///< more than a step of decoding
    bool filler = false;   ///< of a request that has ended: its place in a static batch
    const BlockTable* table = nullptr;
    std::span<const BlockPool::Token> tokens;
};

/// What happened to a request so far.
struct BatchTicketInfo {
    std::optional<std::int64_t> admittedNs;  ///< first time
    std::int32_t preemptions = 0;
    std::int64_t reusedTokens =
        0;  ///< of the prompt, found in the cache when it was first admitted
    std::int64_t blocks = 0;
};

class Scheduler {
  public:
    /// labels: of the events of blocks; the request is filled in.
    Scheduler(BlockPool& pool, const BatchSettings& settings, const trace::Cursor& labels);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Error: OutOfMemory when the prompt and a token more do not fit into an empty pool.
    Result<void> submit(BatchJob job, std::int64_t nowNs);
    /// The next pass, with its blocks. Empty when nothing waits or runs, or when starved() is set.
    std::span<const BatchShare> next(std::int64_t nowNs);
    /// A request that cannot go on although it has all blocks; it is for the caller to retire it.
    [[nodiscard]] std::optional<std::int32_t> starved() const { return m_starved; }
    /// The plan of next() has been computed.
    void computed();
    /// The token that a deciding share led to.
    void append(std::int32_t id, BlockPool::Token token);
    /// A request has ended: its blocks go back, at once or with the rest of its static batch.
    void finish(std::int32_t id);
    /// Ends a request, wherever it is; its blocks go back.
    void retire(std::int32_t id);
    /// Ends all requests.
    void clear();

    [[nodiscard]] BatchTicketInfo info(std::int32_t id) const;
    [[nodiscard]] std::int64_t nWaiting() const { return std::ssize(m_waiting); }
    [[nodiscard]] std::int64_t nRunning() const { return std::ssize(m_running); }
    /// Tokens in the blocks of running requests; with the pool's figures: how much of them is
    /// empty.
    [[nodiscard]] std::int64_t tokensHeld() const;
    /// Blocks that running requests read, a shared one once for each.
    [[nodiscard]] std::int64_t blocksRead() const;
    [[nodiscard]] std::int32_t preemptions() const { return m_preemptions; }

  private:
    struct Ticket {
        BatchJob job;
        std::vector<BlockPool::Token> tokens;  ///< the prompt and what was appended
        std::int64_t nComputed = 0;            ///< of them, in the cache
        BlockTable table;
        std::int64_t arrivedNs = 0;
        std::uint64_t order = 0;  ///< of arrival
        int rank = 0;             ///< priority with its age, when it was admitted
        bool ended = false;       ///< it only fills its batch
        BatchTicketInfo info;

        [[nodiscard]] std::int64_t missing() const { return std::ssize(tokens) - nComputed; }
    };
    using Tickets = std::vector<std::unique_ptr<Ticket>>;

    [[nodiscard]] trace::Cursor labelsOf(const Ticket& ticket) const;
    /// Tokens of a running request to compute now, of `budget`.
    [[nodiscard]] std::int64_t chunk(const Ticket& ticket, std::int64_t budget) const;
    void continueRunning(std::int64_t& budget, bool prompts);
    /// Makes room, at the cost of those that started last. False: the ticket itself had to go.
    bool makeRoom(Ticket& ticket, std::int64_t nTokens, std::int64_t& budget);
    void plan(Ticket& ticket, std::int64_t nTokens, std::int64_t& budget);
    void preempt(Ticket& ticket, std::int64_t& budget);
    /// A static batch whose requests have all ended makes room for the next.
    void dropEndedBatch();
    void admit(std::int64_t nowNs, std::int64_t& budget);
    /// Moves a waiting request to the running ones. False: it has no room.
    bool start(std::size_t index, std::int64_t nowNs);
    /// Blocks that running requests will need for what is known of them.
    [[nodiscard]] std::int64_t blocksToCome() const;
    [[nodiscard]] std::size_t pickWaiting(std::int64_t nowNs) const;
    [[nodiscard]] int rank(const Ticket& ticket, std::int64_t nowNs) const;
    [[nodiscard]] bool mayAdmit() const;
    void liftClient(const std::string& client);
    Ticket* find(std::int32_t id) const;

    BlockPool& m_pool;
    BatchSettings m_settings;
    trace::Cursor m_labels;
    Tickets m_waiting;  ///< in order of arrival
    Tickets m_running;  ///< the one that goes first when blocks run out is the last
    std::vector<BatchShare> m_plan;
    std::map<std::string, double>
        m_served;  ///< tokens a client got, those it was sent twice as dear
    std::optional<std::int32_t> m_starved;
    bool m_batchOpen = false;  ///< Static: nothing ran when the plan was begun
    bool m_preempted = false;  ///< while the present plan was made
    std::uint64_t m_arrivals = 0;
    std::int32_t m_preemptions = 0;
};

}  // namespace lanescope
