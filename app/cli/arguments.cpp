#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/lane/attention_option.h"
#include "engine/lane/plan_values.h"

namespace lanescope::cli {

namespace {

constexpr std::array<std::string_view, 6> kLaterCommands{"quantise", "distil", "reason",
                                                         "cot-plan", "cost",   "draft-select"};
constexpr std::array<std::string_view, 3> kPolicies{"continuous", "static", "sequential"};
constexpr std::array<std::string_view, 2> kFairness{"client", "arrival"};
constexpr std::array<std::string_view, 1> kWeights{"as-is"};
constexpr std::array<std::string_view, 6> kLaterWeights{"int8",      "int4",     "nf4",
                                                        "auto-gptq", "fp8-e4m3", "fp8-e5m2"};
constexpr std::array<std::string_view, 3> kFloatTypes{"f32", "f16", "bf16"};
constexpr std::int64_t kMost = 10'000'000;

/// One of a few words; those of later versions are named as such.
CLI::Validator oneOf(std::span<const std::string_view> allowed,
                     std::span<const std::string_view> later = {}) {
    return {[allowed, later](std::string& value) -> std::string {
                if (plan::isOneOf(value, allowed)) return {};
                const std::string list = plan::joinWords(allowed);
                if (plan::isOneOf(value, later)) {
                    return "\"" + value + "\" is not in this version; possible: " + list;
                }
                return "\"" + value + "\" is not possible; possible: " + list;
            },
            "{" + plan::joinWords(allowed) + "}"};
}

/// Whole numbers separated by commas or spaces, all inside the range.
template <class Int>
void readList(const std::string& name, const std::string& text, std::int64_t least,
              std::int64_t most, std::vector<Int>& out) {
    out.clear();
    std::size_t i = 0;
    while ((i = text.find_first_not_of(", \n", i)) != std::string::npos) {
        const std::size_t end = std::min(text.find_first_of(", \n", i), text.size());
        std::int64_t value = 0;
        const auto read = std::from_chars(text.data() + i, text.data() + end, value);
        if (read.ec != std::errc() || read.ptr != text.data() + end || value < least ||
            value > most) {
            throw CLI::ValidationError(
                name, "\"" + text.substr(i, std::min<std::size_t>(end - i, 40)) +
                          "\" is not a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
        }
        out.push_back(static_cast<Int>(value));
        i = end;
    }
    if (out.empty()) throw CLI::ValidationError(name, "is empty");
}

template <class Int>
CLI::Option* addList(CLI::App* app, const std::string& name, std::vector<Int>& out,
                     std::int64_t least, std::int64_t most, const std::string& description) {
    return app
        ->add_option_function<std::string>(
            name,
            [&out, name, least, most](const std::string& text) {
                readList(name, text, least, most, out);
            },
            description)
        ->type_name("N,N,…");
}

void addJson(CLI::App* app, OutputKind& output) {
    app->add_flag_callback(
        "--json", [&output] { output = OutputKind::Json; },
        "print one JSON document on standard output");
}

void addTokens(CLI::App* app, std::vector<TokenId>& tokens, bool required) {
    addList(app, "--tokens", tokens, std::numeric_limits<TokenId>::min(),
            std::numeric_limits<TokenId>::max(), "token ids, such as 1,2,3")
        ->required(required);
}

void addExact(CLI::App* app, bool& exact) {
    app->add_flag("--exact", exact,
                  "reference path: fp32 activations and KV, no activation quantisation")
        ->envname("LANESCOPE_EXACT");
}

/// What the reader of a lane's option says against a word.
auto readBy(Result<void> (*read)(const std::string&, EngineSettings&)) {
    return [read](const std::string& word) {
        EngineSettings ignored;
        const auto fine = read(word, ignored);
        return fine ? std::string() : fine.error().message;
    };
}

void addLane(CLI::App* app, LaneSpec& lane) {
    lane.name = "A";
    app->add_option("MODEL", lane.model, "a .gguf, a .safetensors, a folder or a known name")
        ->required();
    app->add_option("--backend", lane.backend, "where to compute: cpu, cuda, cuda:N (device N)")
        ->check([](const std::string& word) {
            return word == "cpu" || cudaDevice(word)
                       ? std::string()
                       : "\"" + word + "\" is not possible; possible: cpu, cuda, cuda:N (device N)";
        });
    app->add_option("--weights", lane.weights, "weight format")
        ->check(oneOf(kWeights, kLaterWeights));
    app->add_option("--kv", lane.kv, "KV cache format (default fp16)")
        ->check(oneOf(plan::kKvFormats));
    app->add_option("--kv-values", lane.kvValues, "format of values alone (default: as --kv)")
        ->check(oneOf(plan::kKvFormats));
    app->add_flag("--kv-rotate", lane.kvRotate,
                  "turn keys and values by a Hadamard matrix before they are stored");
    app->add_option("--kv-block", lane.kvBlock, "tokens a KV block (default 16)")
        ->check(CLI::Range(plan::kMinKvBlock, plan::kMaxKvBlock));
    app->add_option(
           "--attention", lane.attention,
           "flash (default), naive, window:W or window:W+S (S first keys stay), "
           "block-sparse:B,L,S (blocks of B: the last L, every S-th), pages:K (the K blocks "
           "that match best), heavy:R+H (the last R keys and the H that got the most weight; the "
           "others are given up)")
        ->check(readBy(readAttention));
    app->add_option("--dense-layers", lane.denseLayers,
                    "layers that look at all keys all the same, such as 0-1,5")
        ->check(readBy(readDenseLayers));
    app->add_option("--threads", lane.threads, "threads of the maths; 0 = all")
        ->check(CLI::Range(std::int64_t{0}, plan::kMaxThreads));
    app->add_option("--context", lane.context,
                    "tokens the KV cache holds; 0 = the trained context, at most 4096")
        ->check(CLI::Range(std::int64_t{0}, plan::kMaxContext));
    addExact(app, lane.exact);
    app->add_option(
           "--acts", lane.acts,
           "activations beside quantised weights: int8, or int8x2 (two terms, finer); or bf16 "
           "products of all weights")
        ->check(oneOf(plan::kActs));
    app->add_option("--affinity", lane.affinity, "cores: every thread stays on a core of its own")
        ->check(oneOf(plan::kAffinities));
    app->add_option("--products", lane.products,
                    "matrix products of f16 and bf16 weights on a GPU: own, or cublaslt "
                    "(NVIDIA's library)")
        ->check(oneOf(plan::kProducts));
    app->add_option("--sampling", lane.sampling,
                    "where tokens are chosen on a GPU: host, or device (only tokens are copied "
                    "back)")
        ->check(oneOf(plan::kSamplings));
    app->add_flag("!--no-pack", lane.pack, "weights stay as the file stores them");
}

void addStore(CLI::App* app, StoreArgs& store) {
    app->add_option("--db", store.db, "the database of runs");
}

/// Options of the command line that a later version brings; using one says so.
void addLaterOptions(CLI::App* app) {
    for (const char* name :
         {"--draft", "--draft-layers", "--draft-tree", "--draft-len", "--accept"}) {
        app->add_option_function<std::string>(
               name,
               [name](const std::string&) {
                   throw CLI::ValidationError(std::string(name) +
                                              ": speculative decoding is not in this version");
               },
               "")
            ->group("");
    }
    app->add_flag_callback(
           "--draft-lookup",
           [] {
               throw CLI::ValidationError(
                   "--draft-lookup: speculative decoding is not in this version");
           },
           "")
        ->group("");
}

/// Keeps a command's arguments alive until it is called.
template <class Args>
std::shared_ptr<Args> bind(CLI::App* app, Command& chosen, Result<int> (*run)(const Args&)) {
    auto args = std::make_shared<Args>();
    app->callback(
        [&chosen, args, run] { chosen = [args, run](const CancelToken&) { return run(*args); }; });
    return args;
}
template <class Args>
std::shared_ptr<Args> bind(CLI::App* app, Command& chosen,
                           Result<int> (*run)(const Args&, const CancelToken&)) {
    auto args = std::make_shared<Args>();
    app->callback([&chosen, args, run] {
        chosen = [args, run](const CancelToken& cancel) { return run(*args, cancel); };
    });
    return args;
}

void addConvert(CLI::App& app, Command& chosen) {
    CLI::App* convert = app.add_subcommand("convert", "writes a model as one GGUF file");
    auto c = bind(convert, chosen, runConvert);
    convert->add_option("MODEL", c->model, "a .gguf file, any part of a split one, or a folder")
        ->required();
    convert->add_option("--out", c->out, "the file to write")->required();
    convert->add_option("--type", c->type, "of matrices; without: as each one is")
        ->check(oneOf(kFloatTypes));
    addJson(convert, c->output);
}

void addGpu(CLI::App& app, Command& chosen) {
    CLI::App* gpu =
        app.add_subcommand("gpu", "the NVIDIA GPUs of this machine, or why there are none");
    auto g = bind(gpu, chosen, runGpu);
    gpu->add_option("--device", g->device, "the one to test and measure (default 0)");
    gpu->add_flag("--bench", g->bench, "measure its kernels beside its copy bandwidth");
    gpu->add_flag(
        "--ops", g->ops,
        "hold each of its ops against plain loops on the processor; exit status 1 when one "
        "is wrong");
    addJson(gpu, g->output);
}

void addTextCommands(CLI::App& app, Command& chosen) {
    CLI::App* info = app.add_subcommand("info", "what a model is");
    auto i = bind(info, chosen, runInfo);
    info->add_option("MODEL", i->model)->required();
    info->add_option("--kv", i->kv, "format for kvBytesPerToken")->check(oneOf(plan::kKvFormats));
    addJson(info, i->output);

    CLI::App* tokenize = app.add_subcommand("tokenize", "text to token ids");
    auto t = bind(tokenize, chosen, runTokenize);
    tokenize->add_option("MODEL", t->source, "a model, tokenizer.json or tokenizer.model")
        ->required();
    CLI::Option_group* text = tokenize->add_option_group("input");
    text->add_option("--text", t->text, "the text");
    text->add_option("--file", t->file, "a file with the text; - is standard input");
    text->require_option(1);
    tokenize->add_flag("--no-special{false}", t->parseSpecial,
                       "control tokens in the text stay text");
    tokenize->add_flag("--no-bos{false}", t->addBos, "add nothing around the text");
    addJson(tokenize, t->output);

    CLI::App* detokenize = app.add_subcommand("detokenize", "token ids to text");
    auto d = bind(detokenize, chosen, runDetokenize);
    detokenize->add_option("MODEL", d->source, "a model, tokenizer.json or tokenizer.model")
        ->required();
    addTokens(detokenize, d->tokens, true);
    detokenize->add_flag("--skip-special", d->skipSpecial, "leave control tokens out");
    addJson(detokenize, d->output);

    CLI::App* chat = app.add_subcommand("template", "a chat as the model's template writes it");
    auto c = bind(chat, chosen, runTemplate);
    CLI::Option* model = chat->add_option("MODEL", c->model);
    CLI::Option* file = chat->add_option("--template", c->templateFile, "a template file");
    chat->add_option("--messages", c->messagesFile,
                     "JSON: a list of messages, or an object with messages, tools, "
                     "add_generation_prompt, special and further variables")
        ->required();
    chat->add_flag("--add-generation-prompt", c->addGenerationPrompt,
                   "open the assistant's turn, whatever the file says");
    addJson(chat, c->output);
    chat->parse_complete_callback([model, file] {
        if (model->count() + file->count() == 0) {
            throw CLI::ValidationError("give a MODEL or --template FILE");
        }
    });
}

void addSampling(CLI::App* app, SamplingSpec& sampling) {
    SamplingSettings& s = sampling.settings;
    app->add_option("-n", sampling.maxTokens, "tokens at most (default 128)")
        ->check(CLI::Range(std::int64_t{1}, kMost));
    app->add_option("--temp", s.temperature, "temperature; 0 = greedy (default)");
    app->add_option("--top-k", s.topK, "keep the k most probable; 0 = off");
    app->add_option("--top-p", s.topP, "keep the smallest set of this probability; 1 = off");
    app->add_option("--min-p", s.minP, "keep what has this share of the best; 0 = off");
    app->add_option("--repeat-penalty", s.repeatPenalty, "above 1 discourages repeats; 1 = off");
    app->add_option("--repeat-window", s.repeatWindow, "tokens looked back at (default 64)");
    app->add_option("--seed", s.seed, "the same seed gives the same tokens (default 1)");
    app->add_option("--stop", sampling.stop, "end before this text; may be given again")
        ->allow_extra_args(false);
    app->add_flag("--ignore-eos", sampling.ignoreEos, "go on after the end-of-text token");
}

void addGenerate(CLI::App& app, Command& chosen) {
    CLI::App* generate = app.add_subcommand("generate", "one answer");
    auto g = bind(generate, chosen, runGenerate);
    addLane(generate, g->lane);
    CLI::Option_group* prompt = generate->add_option_group("prompt");
    const auto kind = [&g](PromptKind k) {
        return [args = g.get(), k](const std::string& value) {
            args->prompt.kind = k;
            args->prompt.value = value;
        };
    };
    prompt->add_option_function<std::string>("--prompt", kind(PromptKind::Text), "raw text");
    CLI::Option* chat = prompt->add_option_function<std::string>(
        "--chat", kind(PromptKind::Chat), "a user message, through the chat template");
    prompt->add_option_function<std::string>("--prompt-file", kind(PromptKind::File),
                                             "a file with raw text");
    CLI::Option* tokens =
        addList(prompt, "--tokens", g->prompt.tokens, std::numeric_limits<TokenId>::min(),
                std::numeric_limits<TokenId>::max(), "token ids, nothing added");
    prompt->require_option(1);
    generate->add_option("--system", g->prompt.system, "system message")->needs(chat);
    generate->add_option("--template", g->templateFile, "a template file instead of the model's")
        ->needs(chat);
    addSampling(generate, g->sampling);
    addJson(generate, g->output);
    addLaterOptions(generate);
    generate->parse_complete_callback([args = g.get(), tokens] {
        if (tokens->count() > 0) args->prompt.kind = PromptKind::Tokens;
    });
}

void addModelCommands(CLI::App& app, Command& chosen) {
    addGenerate(app, chosen);

    CLI::App* logits = app.add_subcommand("logits", "raw output of every position, as safetensors");
    auto l = bind(logits, chosen, runLogits);
    addLane(logits, l->lane);
    addTokens(logits, l->tokens, true);
    logits->add_option("--out", l->out, "the file to write")->required();
    addJson(logits, l->output);

    CLI::App* perplexity = app.add_subcommand(
        "perplexity", "how well a text is predicted, and how far from a reference");
    auto p = bind(perplexity, chosen, runPerplexity);
    addLane(perplexity, p->lane);
    perplexity->add_option("--file", p->file, "the text; - is standard input")->required();
    perplexity
        ->add_option("--ctx", p->window,
                     "tokens a window (default 512); the second half of "
                     "each is scored")
        ->check(CLI::Range(std::int64_t{2}, plan::kMaxContext));
    perplexity->add_option("--against", p->against,
                           "a reference of the same vocabulary, computed on the exact path");
    perplexity
        ->add_option("--against-kv", p->againstKv,
                     "hold against the same lane with another KV format")
        ->check(oneOf(plan::kKvFormats));
    perplexity
        ->add_option("--against-attention", p->againstAttention,
                     "hold against the same lane with another attention")
        ->check(readBy(readAttention));
    addList(perplexity, "--depths", p->depths, 1, plan::kMaxContext,
            "figures by position, up to each of these; every position is scored");
    perplexity->add_option("--save-logits", p->saveLogits,
                           "write the reference's predictions (without --against: the model's) "
                           "as llama.cpp's --kl-divergence-base file");
    addJson(perplexity, p->output);

    CLI::App* bench = app.add_subcommand("bench", "prefill and decode speed");
    auto b = bind(bench, chosen, runBench);
    addLane(bench, b->lane);
    addList(bench, "-p", b->prefill, 0, kMost, "prompt lengths; 0 = none (default 512)");
    addList(bench, "-n", b->decode, 0, kMost, "tokens to decode; 0 = none (default 128)");
    addList(bench, "-b", b->batch, 1, 256, "sequences decoding together (default 1)");
    addList(bench, "--depth", b->depth, 0, kMost, "context before decoding (default 0)");
    bench->add_option("-r", b->repetitions, "repetitions (default 5)")
        ->check(CLI::Range(std::int64_t{1}, plan::kMaxRepetitions));
    bench->add_flag("--probe", b->probe,
                    "measure anew what the machine can do at most (kept in the cache folder)");
    bench->add_flag("--ops", b->ops,
                    "also: each op's time and share of the machine's roof, from one traced "
                    "repetition a test, and what tracing costs");
    bench->add_option("--warmup", b->warmup, "repetitions that are not counted (default 1)")
        ->check(CLI::Range(std::int64_t{0}, plan::kMaxWarmup));
    addJson(bench, b->output);
}

void addKvMemory(CLI::App& app, Command& chosen) {
    CLI::App* memory =
        app.add_subcommand("kv-memory", "what the KV cache of a model, or of a shape, takes");
    auto m = bind(memory, chosen, runKvMemory);
    constexpr std::int64_t kMostNumber = 1 << 20;
    memory->add_option("MODEL", m->model, "a .gguf, a .safetensors, a folder or a known name");
    memory->add_option("--layers", m->layers, "instead of a MODEL")
        ->check(CLI::Range(std::int64_t{1}, kMostNumber));
    memory->add_option("--kv-heads", m->kvHeads, "KV heads a layer")
        ->check(CLI::Range(std::int64_t{1}, kMostNumber));
    memory->add_option("--head-dim", m->headDim, "columns a head")
        ->check(CLI::Range(std::int64_t{1}, kMostNumber));
    memory->add_option("--context", m->context, "tokens a sequence (default 4096)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24));
    memory->add_option("--batch", m->batch, "sequences (default 1)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{256}));
    memory->add_option("--dtype", m->format, "number format (default fp16)")
        ->check(oneOf(plan::kKvFormats));
    memory->add_option("--dtype-values", m->valueFormat, "of values alone")
        ->check(oneOf(plan::kKvFormats));
    memory->add_option("--kv-block", m->blockTokens, "tokens a block (default 16)")
        ->check(CLI::Range(plan::kMinKvBlock, plan::kMaxKvBlock));
    addJson(memory, m->output);
}

void addServeSim(CLI::App& app, Command& chosen) {
    CLI::App* serve = app.add_subcommand(
        "serve-sim", "many requests served together as they arrive, by one policy or several");
    auto s = bind(serve, chosen, runServeSim);
    addLane(serve, s->lane);
    serve
        ->add_option("--arrivals", s->arrivals,
                     "poisson:RATE (a second), burst:N or burst:N@SECONDS, or a file of JSON lines")
        ->required();
    serve->add_option("--save-arrivals", s->saveArrivals,
                      "write the requests as JSON lines to this file and serve nothing");
    serve->add_option("--requests", s->load.nRequests, "how many (default 16); a file has its own")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100000}));
    serve
        ->add_option("--policy", s->policies,
                     "continuous (default), static, sequential; several, with commas: one after "
                     "the other over the same requests")
        ->delimiter(',')
        ->check(oneOf(kPolicies));
    serve->add_option("--prompt-tokens", s->promptTokens, "of a made-up prompt (default 8-64)");
    serve->add_option("--output-tokens", s->outputTokens, "of its answer (default 16-256)");
    serve
        ->add_option("--shared-prefix", s->load.sharedPrefix,
                     "tokens that all made-up prompts begin with (default 0)")
        ->check(CLI::Range(std::int64_t{0}, plan::kMaxContext));
    serve->add_option("--max-running", s->maxRunning, "sequences at once (default 32)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{256}));
    serve->add_option("--budget", s->budget, "tokens a pass at most (default 256)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{4096}));
    serve
        ->add_option("--kv-blocks", s->blocks, "blocks of the KV cache; 0 = room for all (default)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 24));
    serve->add_flag("!--no-chunks", s->chunked,
                    "while a prompt is computed nobody decodes (default: both in one pass)");
    serve->add_flag("!--no-prefix-reuse", s->reusePrefixes,
                    "compute beginnings that are in the cache again");
    serve
        ->add_option("--fairness", s->fairness,
                     "client (default): who got the fewest tokens; arrival: first come")
        ->check(oneOf(kFairness));
    serve->add_option("--goal-ttft", s->goalTtftMs, "ms to the first token, for goodput (2000)")
        ->check(CLI::PositiveNumber);
    serve->add_option("--goal-tpot", s->goalTpotMs, "ms a token after it, for goodput (200)")
        ->check(CLI::PositiveNumber);
    serve->add_option("--temp", s->sampling.temperature, "temperature; 0 = greedy (default)");
    serve->add_option("--seed", s->load.seed, "of times, lengths and words (default 1)");
    addJson(serve, s->output);
}

void addRunOptions(CLI::App* app, RunArgs& args) {
    app->add_option("--out", args.out, "folder of the reports");
    app->add_option("--report", args.report, "html,csv,json,md,trace");
    addStore(app, args.store);
    app->add_flag("--no-store", args.store.noStore, "do not keep the run");
    addJson(app, args.output);
}

void addRunCommands(CLI::App& app, Command& chosen) {
    CLI::App* run = app.add_subcommand("run", "run a plan");
    auto r = bind(run, chosen, runPlanFile);
    run->add_option("PLAN", r->plan, "the plan's JSON file; - is standard input")->required();
    addRunOptions(run, *r);
    addExact(run, r->exact);

    CLI::App* demo = app.add_subcommand("demo", "the bundled comparison");
    addRunOptions(demo, *bind(demo, chosen, runDemo));

    CLI::App* compare = app.add_subcommand("compare", "two runs, lane by lane");
    auto c = bind(compare, chosen, runCompare);
    compare->add_option("OLD", c->before, "run id, a prefix of one, or an exported file")
        ->required();
    compare->add_option("NEW", c->after, "the same")->required();
    addStore(compare, c->store);
    addJson(compare, c->output);
}

void addHistory(CLI::App& app, Command& chosen) {
    CLI::App* runs = app.add_subcommand("runs", "the stored runs");
    runs->require_subcommand(1);
    struct Entry {
        RunsAction action;
        const char* name;
        const char* description;
        const char* value;  ///< null: none
        bool id;
    };
    static constexpr std::array<Entry, 6> kEntries{{
        {RunsAction::List, "list", "all, newest first", nullptr, false},
        {RunsAction::Show, "show", "one run with its answers", nullptr, true},
        {RunsAction::Export, "export", "one run as a file (.json or .lanescope)", "FILE", true},
        {RunsAction::Rename, "rename", "another name", "NAME", true},
        {RunsAction::Delete, "delete", "take a run out", nullptr, true},
        {RunsAction::Import, "import", "read an exported file", "FILE", false},
    }};
    for (const Entry& entry : kEntries) {
        CLI::App* sub = runs->add_subcommand(entry.name, entry.description);
        auto args = bind(sub, chosen, runRuns);
        args->action = entry.action;
        if (entry.id) sub->add_option("ID", args->id, "run id or a prefix of it")->required();
        if (entry.value != nullptr) sub->add_option(entry.value, args->value)->required();
        addStore(sub, args->store);
        addJson(sub, args->output);
    }
}

Command printer(std::string text) {
    return [text = std::move(text)](const CancelToken&) -> Result<int> {
        if (auto ok = print(text); !ok) return ok.error();
        return 0;
    };
}

/// The library would only say that a command is missing.
Result<void> checkCommandName(CLI::App& app, int argc, const char* const* argv) {
    if (argc < 2 || argv[1][0] == '-') return {};
    std::string known;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == argv[1]) return {};
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    return usageError("unknown command \"" + std::string(argv[1]) + "\"; known: " + known);
}

}  // namespace

Result<Command> parseArguments(int argc, const char* const* argv) {
    if (argc > 1 && plan::isOneOf(argv[1], kLaterCommands)) {
        return usageError(std::string(argv[1]) + ": is not in this version",
                          "see lanescope-cli --help");
    }
    CLI::App app{"Lanescope measures what makes a language model cheaper on this machine.",
                 "lanescope-cli"};
    app.set_version_flag("--version", std::string("lanescope-cli ") + LANESCOPE_VERSION);
    app.require_subcommand(1);
    Command chosen;
    addTextCommands(app, chosen);
    addConvert(app, chosen);
    addGpu(app, chosen);
    addModelCommands(app, chosen);
    addKvMemory(app, chosen);
    addServeSim(app, chosen);
    addRunCommands(app, chosen);
    addHistory(app, chosen);
    if (auto known = checkCommandName(app, argc, argv); !known) return known.error();
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForVersion& e) {
        return printer(std::string(e.what()) + "\n");
    } catch (const CLI::CallForHelp&) {
        return printer(app.help());
    } catch (const CLI::ParseError& e) {
        return usageError(e.what(), "see lanescope-cli --help");
    }
    return chosen;
}

}  // namespace lanescope::cli
