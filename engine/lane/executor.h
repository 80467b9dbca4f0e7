#pragma once
// Carries out a plan's requests in order over whatever lanes it is given; loading and building are
// behind LaneSource, so that order, isolation and cancelling can be tested without a checkpoint.
// Private to lane/ and its tests; run.h is the way in.

#include <memory>
#include <string>
#include <vector>

#include "engine/lane/run.h"
#include "engine/lane/schedule.h"

namespace lanescope {

/// Where lanes come from. Lane indices are those of the plan. Called on the engine thread.
class LaneSource {
  public:
    virtual ~LaneSource() = default;
    /// Loads the lane's model and fills what the record says about it.
    virtual Result<void> load(std::int32_t lane, const LaneSpec& spec,
                              trace::LaneRecord& record) = 0;
    /// A prompt as ids of the lane's model. Precondition: load succeeded.
    virtual Result<PreparedPrompt> prepare(std::int32_t lane, const PromptSpec& prompt) = 0;
    /// An engine of its own for the lane. Precondition: load succeeded.
    virtual Result<std::unique_ptr<Engine>> build(std::int32_t lane,
                                                  const EngineSettings& settings) = 0;
    /// See int8_products.h. Precondition: load succeeded.
    virtual std::vector<trace::Op> int8Products(std::int32_t /*lane*/, bool /*noInt8*/) {
        return {};
    }
    /// Asked before each request: whether the lane's model can still be read (its file may have
    /// changed on disk).
    virtual Result<void> check(std::int32_t lane) {
        static_cast<void>(lane);
        return {};
    }
};

/// One run; make a new one for the next.
class Executor {
  public:
    Executor(const Plan& plan, LaneSource& source, trace::Sink& sink, const CancelToken& cancel,
             RunOptions options);
    ~Executor();

    /// See executePlan.
    Result<trace::RunStatus> run();

  private:
    struct Lane;

    Result<trace::RunStatus> runLanes(std::string& error);
    void setUpLanes();
    Result<void> setUp(Lane& lane);
    Result<void> preparePrompts(Lane& lane);
    Result<void> ensureEngine(Lane& lane);
    bool dropOldestEngine(const Lane& keep);
    void execute(const ScheduledRequest& request);
    void generate(Lane& lane, const ScheduledRequest& request);
    void finishRequest(Lane& lane, trace::RequestRecord& record,
                       const Result<GenerateResult>& result);
    void failLane(Lane& lane, const Error& error);
    [[nodiscard]] trace::RunHeader makeHeader() const;
    /// What the machine can do at most, for each number of threads in the plan.
    [[nodiscard]] nlohmann::ordered_json measureRoofs() const;

    const Plan& m_plan;
    LaneSource& m_source;
    trace::Sink& m_sink;
    const CancelToken& m_cancel;
    RunOptions m_options;
    std::vector<std::unique_ptr<Lane>> m_lanes;  ///< by plan index; null: muted
    std::int32_t m_nextRequest = 0;
    std::int64_t m_uses = 0;
    std::int64_t m_completed = 0;  ///< timed requests that ended well
    std::optional<Error> m_firstError;
};

/// Growth in resident memory is measured with this: bytes of the process now in RAM, 0 if unknown.
std::uint64_t residentBytes();

}  // namespace lanescope
