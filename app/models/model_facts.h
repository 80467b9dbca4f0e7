#pragma once
// A checkpoint in words: what the open dialog and the model page list. Pure functions.

#include <QString>
#include <vector>

#include "app/bridge/model_inspection.h"

namespace lanescope::app {

struct Fact {
    QString label;
    QString value;
    QString toolTip;
};

/// Appends one row at a time.
class FactList {
  public:
    explicit FactList(std::vector<Fact>& facts) : m_facts(facts) {}
    void operator()(const QString& label, const QString& value, const QString& tip = {}) const {
        m_facts.push_back({label, value, tip});
    }

  private:
    std::vector<Fact>& m_facts;
};

/// "134.5 M", "1.54 B".
QString parameterText(std::int64_t count);
/// "9, 3 KV heads".
QString headsText(const ModelSpec& spec);
/// "[49152, 576]".
QString shapeText(const std::vector<std::int64_t>& shape);

/// The few that decide whether to open it.
std::vector<Fact> mainFacts(const ModelInspection& model);
/// Everything known about how the architecture computes.
std::vector<Fact> architectureFacts(const ModelInspection& model);
/// File, format, tokenizer, chat template.
std::vector<Fact> fileFacts(const ModelInspection& model);
/// What went wrong as one sentence, and where and what next as details; empty without an error.
QString problemText(const ModelInspection& model);
QString problemDetails(const ModelInspection& model);
/// Two sentences about memory: need, and the largest context that fits.
QString memoryText(const MemoryFit& fit, const ModelSpec& spec);

/// A row of the tensor table.
struct TensorRow {
    QString name;
    QString shape;
    QString type;
    std::int64_t nElements = 0;
    std::uint64_t bytes = 0;
    double share = 0.0;            ///< of all tensor bytes
    std::int64_t fileOffset = -1;  ///< of its data in its file; -1: not known
    QString file;                  ///< name of that file, where there are several
};
std::vector<TensorRow> tensorRows(const Checkpoint& checkpoint);

/// A key of the description: GGUF metadata, or a leaf of the folder's JSON files.
struct MetadataRow {
    QString key;
    QString type;     ///< "text", "49152 texts"
    QString summary;  ///< one line
    std::size_t source = 0;
};
std::vector<MetadataRow> metadataRows(const Checkpoint& checkpoint);
/// The whole value, one entry of a list a line; cut after `maxItems` with a note.
QString metadataText(const Checkpoint& checkpoint, const MetadataRow& row, int maxItems = 5000);

}  // namespace lanescope::app
