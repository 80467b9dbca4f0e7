#pragma once
// The CUDA backend: queues every operation on one stream of a GpuDevice and waits once a pass. A
// step of decoding is recorded as a graph the second time it is asked for and launched as a whole
// from then on; what differs from step to step (tokens, positions, block tables) is copied in front
// of it. The first error of the device makes the rest of the pass do nothing; status() tells it. A
// step that cannot be recorded is queued piece by piece, then and later. With Products::CublasLt
// F16 and BF16 matrices go through cuBLASLt (cuda_backend_cublas.cpp).

#include <map>

#include "engine/backend/backend.h"
#include "engine/backend/cuda/cuda_workspace.h"
#include "engine/backend/cuda/device_weights.h"
#include "engine/backend/cuda/gpu_timeline.h"
#include "engine/model/keys_seen.h"

namespace lanescope {

class CudaBackend final : public Backend {
  public:
    /// The device is kept. Errors: Unsupported (a tensor's format), OutOfMemory with the bytes.
    /// Products::CublasLt: NoDevice where the library cannot be used or refuses a matrix,
    /// Unsupported where no matrix is F16 or BF16: the lane would be another than was asked for.
    static Result<std::unique_ptr<CudaBackend>> create(const Model& model,
                                                       const BackendSettings& settings,
                                                       std::shared_ptr<GpuDevice> device,
                                                       const CancelToken& cancel);
    /// Device bytes of the activations create() will take.
    static std::uint64_t requiredBytes(const ModelSpec& spec, const BackendSettings& settings);

    ~CudaBackend() override;

    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::string isa() const override;
    [[nodiscard]] std::uint64_t workspaceBytes() const override { return m_memory.storage.bytes(); }
    [[nodiscard]] std::uint64_t weightBytes() const { return m_weights->bytes(); }
    Workspace& workspace() override { return m_w.activations; }

    [[nodiscard]] PairsSeen pairsSeen() const override { return m_pairs; }
    void begin(const PassTokens& tokens, const trace::Cursor& cursor) override;
    void end() override;
    void embed(const Weight& table) override;
    void embedPositions(const Weight& table) override;
    void norm(const NormOp& op) override;
    void addResidual(int layer, std::int64_t nTokens, const Addend& add) override;
    void linear(trace::Op op, int layer, std::int64_t nTokens, const Activations& in,
                std::initializer_list<Product> products) override;
    void ropeAndStore(int layer, const LayerWeights& weights,
                      std::span<const kernels::PagedKv> kv) override;
    void attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) override;
    void activate(int layer, std::int64_t nTokens, Readers readers) override;
    void keepResidual(std::span<const std::int32_t> rows) override;
    void keepRows(std::span<const std::int32_t> rows, Activations& acts, Readers readers) override;
    void head(const Weight& head, std::int64_t nTokens, float* logits) override;
    bool again() override;
    Result<void> status() override;

  private:
    using Status = kernels::cuda::Status;
    /// What happens to operations as the pass names them.
    enum class Mode : std::uint8_t { Run, Record, Replay };
    /// Steps of so many sequences, traced or not.
    struct StepKey {
        std::size_t nSequences;
        bool traced;
        std::int64_t nTop;  ///< of its job; -1: its logits are copied
        auto operator<=>(const StepKey&) const = default;
    };
    struct Step {
        std::unique_ptr<GpuGraph> graph;  ///< null: seen once, or not to be recorded
        std::vector<GpuTimeline::Mark> marks;
        bool refused = false;  ///< it could not be recorded
    };

    using Cublas = kernels::cuda::CublasLibrary;
    /// What a backend owns on its device.
    struct Memory {
        GpuMemory storage;  ///< device
        GpuMemory inputs;   ///< pinned: PassInputs as they are written
        GpuMemory logits;   ///< pinned [logitRows, vocab]
        GpuMemory outputs;  ///< pinned: PassOutputs as they are read
        [[nodiscard]] bool present() const {
            return storage.present() && inputs.present() && logits.present() && outputs.present();
        }
    };

    CudaBackend(const Model& model, const BackendSettings& settings,
                std::shared_ptr<GpuDevice> device, std::shared_ptr<const DeviceWeights> weights,
                Memory&& memory, std::unique_ptr<Cublas> cublas);
    /// Null where the settings do not ask for it.
    static Result<std::unique_ptr<Cublas>> openCublas(const Model& model,
                                                      const BackendSettings& settings,
                                                      GpuDevice& device, const GpuMemory& storage);
    /// One product of every shape, so that a refusal is known before the first request.
    Result<void> tryCublas(const Model& model);
    /// y = m_w.rounded · weightᵀ.
    void queueCublas(const Weight& weight, std::int64_t nTokens, float* y);
    /// y = x · weightᵀ of F16 or BF16 weights.
    void cublasProduct(const Weight& weight, const float* x, std::int64_t nTokens, float* y);
    /// Whether the present operation is to be queued.
    [[nodiscard]] bool queues() const { return m_mode != Mode::Replay && !failed(); }
    [[nodiscard]] bool failed() const { return m_status != kernels::cuda::kSuccess; }
    void check(Status status) {
        if (!failed()) m_status = status;
    }
    /// Tells whoever times the device what is launched while it lives.
    [[nodiscard]] trace::ScopedDeviceSpan labelled(trace::Op op, int layer) const;
    [[nodiscard]] trace::Op phase() const {
        return m_tokens.decodeStep ? trace::Op::DecodeStep : trace::Op::Prefill;
    }
    [[nodiscard]] bool wantsInt8(Readers readers) const;
    [[nodiscard]] static bool isHalf(kernels::DType type) {
        return type == kernels::DType::F16 || type == kernels::DType::BF16;
    }
    void gather(const Weight& table, const std::int32_t* ids, float* y, float scale);
    void normRows(NormKind kind, const NormWeights& weights, float* x, std::int64_t dim,
                  std::int64_t nRows);
    void addNormed(const Addend& add, std::int64_t nTokens);
    void product(const Weight& weight, const Activations& in, std::int64_t firstToken,
                 std::int64_t nTokens, float* y);
    void moveRows(float* x, std::int64_t width, std::int64_t nRows);
    /// The attention tiles of a segment whose first token is `row`.
    void layTiles(const Segment& segment, std::int32_t row);
    void writeSampling(const SampleJob& job);
    /// From logits with rows of `stride` to m_out.
    void queueSampling(std::int64_t stride);
    /// From m_out to the pass's job.
    void takeSampled();
    /// Logits of n rows from `first` on, on their way to the host or sampled.
    void queueHead(const Weight& head, std::int64_t first, std::int64_t n);
    /// What is to be done with a pass, by what it looks like.
    void chooseMode();
    void sendInputs();
    [[nodiscard]] kernels::cuda::SequenceTables sequenceTables() const {
        return {m_w.inputs.sequences, m_w.inputs.blocks, m_in.blockStride, m_w.inputs.tails};
    }
    void sendTables(std::span<const kernels::PagedKv> kv);
    /// What the lane's pattern needs to know of a pass, in m_in.
    void writePattern();
    /// Which blocks each token sees in this layer, where the pattern chooses them.
    void chooseKeys(int layer, const kernels::PagedKv& kv);
    [[nodiscard]] kernels::KeyMask keyMask() const;
    KeysSeen countKeys(int layer);
    void launchStep();
    void waitForAll();
    [[nodiscard]] const kernels::cuda::OpTable& ops() const { return m_device->ops(); }

    ModelSpec m_spec;
    std::vector<const float*> m_frequencies;  ///< [layers] on the device
    BackendSettings m_settings;
    std::shared_ptr<GpuDevice> m_device;
    std::shared_ptr<const DeviceWeights> m_weights;
    Memory m_memory;
    std::unique_ptr<Cublas> m_cublas;  ///< null: own products
    CudaWorkspace m_w;
    PassInputs m_in;    ///< in m_memory.inputs
    PassOutputs m_out;  ///< in m_memory.outputs
    PassTokens m_tokens;
    std::int64_t m_nTiles = 0;
    PairsSeen m_pairs;
    trace::Cursor m_cursor;
    trace::DeviceHooks* m_hooks = nullptr;  ///< of the cursor's sink
    GpuTimeline m_timeline;
    std::map<StepKey, Step> m_steps;
    Step* m_step = nullptr;  ///< of a decode step
    Mode m_mode = Mode::Run;
    bool m_capturing = false;
    bool m_waiting = false;  ///< something is queued
    Status m_status = kernels::cuda::kSuccess;
    std::string m_refusal;  ///< what cuBLASLt said, where m_status comes from it
    /// Type that m_w.rounded holds the present input in; F32: not yet.
    kernels::DType m_rounded = kernels::DType::F32;
};

}  // namespace lanescope
