#include "app/models/model_facts.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>
#include <algorithm>

#include "app/models/number_text.h"
#include "engine/text/chat_template.h"

namespace lanescope::app {

namespace {

struct Facts {
    Q_DECLARE_TR_FUNCTIONS(ModelFacts)
};

QString tokenizerText(const Model& model) {
    if (!model.tokenizer())
        return Facts::tr("cannot be used: %1").arg(QString::fromStdString(model.tokenizerError()));
    return Facts::tr("%1, %2 tokens")
        .arg(QString::fromStdString(model.tokenizer()->kind()))
        .arg(model.tokenizer()->vocabSize());
}

QString templateText(const Model& model) {
    if (!model.chatTemplateError().empty())
        return Facts::tr("cannot be used: %1")
            .arg(QString::fromStdString(model.chatTemplateError()));
    if (!model.chatTemplate()) return Facts::tr("none: choose one by hand, or use text prompts");
    return Facts::tr("yes, %n character(s)", nullptr,
                     static_cast<int>(model.chatTemplate()->source().size()));
}

QString specialText(const Tokenizer& tokenizer, TokenId id) {
    return QStringLiteral("%1 %2").arg(id).arg(QString::fromStdString(tokenizer.tokenBytes(id)));
}

}  // namespace

QString headsText(const ModelSpec& spec) {
    if (spec.nKvHeads == spec.nHeads)
        return Facts::tr("%1 (each with its own K and V)").arg(spec.nHeads);
    return Facts::tr("%1, %2 KV heads").arg(spec.nHeads).arg(spec.nKvHeads);
}

QString parameterText(std::int64_t count) {
    const auto n = static_cast<double>(count);
    if (n >= 1e9) return fixedNumber(n / 1e9, 2) + QStringLiteral(" B");
    if (n >= 1e6) return fixedNumber(n / 1e6, 1) + QStringLiteral(" M");
    if (n >= 1e3) return fixedNumber(n / 1e3, 1) + QStringLiteral(" K");
    return QString::number(count);
}

QString shapeText(const std::vector<std::int64_t>& shape) {
    QStringList parts;
    for (const std::int64_t size : shape) parts << QString::number(size);
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

std::vector<Fact> mainFacts(const ModelInspection& m) {
    std::vector<Fact> out;
    if (!m.architecture.isEmpty()) out.push_back({Facts::tr("Architecture"), m.architecture, {}});
    if (m.model) {
        const ModelSpec& spec = m.model->spec();
        out.push_back({Facts::tr("Parameters"), parameterText(m.model->parameters().total()),
                       Facts::tr("Counted from the tensors")});
        out.push_back(
            {Facts::tr("Layers"),
             Facts::tr("%1, width %2, MLP %3").arg(spec.nLayers).arg(spec.dim).arg(spec.ffnDim),
             {}});
        out.push_back({Facts::tr("Attention heads"), headsText(spec),
                       Facts::tr("Fewer KV heads than heads make the KV cache smaller")});
        out.push_back({Facts::tr("Trained context"), Facts::tr("%1 tokens").arg(spec.contextLength),
                       Facts::tr("The longest text the model was trained on")});
        out.push_back({Facts::tr("Tokenizer"), tokenizerText(*m.model), {}});
        out.push_back({Facts::tr("Chat template"), templateText(*m.model), {}});
    }
    if (m.checkpoint) {
        out.push_back({Facts::tr("File"),
                       Facts::tr("%1, %n tensor(s), %2", nullptr,
                                 static_cast<int>(m.checkpoint->tensors().size()))
                           .arg(m.checkpoint->format() == CheckpointFormat::Gguf
                                    ? QStringLiteral("GGUF")
                                    : QStringLiteral("safetensors"),
                                bytesText(m.checkpoint->fileBytes())),
                       m.path});
    }
    return out;
}

std::vector<Fact> fileFacts(const ModelInspection& m) {
    std::vector<Fact> out;
    const FactList add(out);
    if (!m.path.isEmpty()) add(Facts::tr("Path"), m.path);
    if (m.checkpoint) {
        add(Facts::tr("Format"), m.checkpoint->format() == CheckpointFormat::Gguf
                                     ? QStringLiteral("GGUF")
                                     : QStringLiteral("safetensors"));
        add(Facts::tr("File size"), bytesText(m.checkpoint->fileBytes()));
        add(Facts::tr("Tensor data"), bytesText(m.tensorBytes),
            Facts::tr("Bytes of all tensors; they are mapped, not copied"));
        if (!m.checkpoint->skipped().empty())
            add(Facts::tr("Left out"), Facts::tr("%n tensor(s) of types that are not read", nullptr,
                                                 static_cast<int>(m.checkpoint->skipped().size())));
    }
    if (!m.model) return out;
    add(Facts::tr("Opened in"), durationText(m.model->loadMs()));
    add(Facts::tr("Tokenizer"), tokenizerText(*m.model));
    if (const auto& tokenizer = m.model->tokenizer()) {
        add(Facts::tr("BOS"),
            tokenizer->bos() < 0 ? Facts::tr("none") : specialText(*tokenizer, tokenizer->bos()),
            Facts::tr("Token that starts a text"));
        QStringList ends;
        for (const TokenId id : tokenizer->endOfGeneration()) ends << specialText(*tokenizer, id);
        add(Facts::tr("Ends of generation"),
            ends.isEmpty() ? Facts::tr("none") : ends.join(QStringLiteral(", ")),
            Facts::tr("Tokens after which an answer is finished"));
    }
    add(Facts::tr("Chat template"), templateText(*m.model));
    return out;
}

QString problemText(const ModelInspection& m) {
    if (!m.error) return {};
    QString message = QString::fromStdString(m.error->message);
    // Messages about a whole file leave it out, since they are printed behind its path.
    const bool aboutFile =
        message.startsWith(QLatin1String("is ")) || message.startsWith(QLatin1String("has "));
    if (!aboutFile) return message;
    const QString path = m.path.isEmpty() ? QString::fromStdString(m.name) : m.path;
    return QFileInfo(path).fileName() + QLatin1Char(' ') + message;
}

QString problemDetails(const ModelInspection& m) {
    if (!m.error) return {};
    QStringList lines;
    if (!m.error->context.empty()) lines << QString::fromStdString(m.error->context);
    if (!m.error->nextStep.empty()) lines << QString::fromStdString(m.error->nextStep);
    return lines.join(QLatin1Char('\n'));
}

QString memoryText(const MemoryFit& fit, const ModelSpec& spec) {
    QString text =
        Facts::tr("est. %1 = weights %2 (mapped) + KV %3 + compute %4 for %5 tokens; %6 free")
            .arg(bytesText(fit.estimate.total()), bytesText(fit.estimate.weightBytes),
                 bytesText(fit.estimate.kvBytes), bytesText(fit.estimate.scratchBytes))
            .arg(fit.contextTokens)
            .arg(fit.freeBytes > 0 ? bytesText(fit.freeBytes) : Facts::tr("not known how much"));
    text += QLatin1Char('\n');
    if (fit.freeBytes == 0) return text + Facts::tr("How much is free cannot be read here.");
    if (fit.largestContext == 0)
        return text + Facts::tr(
                          "Does not fit, whatever the context: close other programs or "
                          "choose a smaller model.");
    if (!fit.fits) text += Facts::tr("More than is free.") + QLatin1Char(' ');
    text += fit.largestContext >= spec.contextLength
                ? Facts::tr("The whole trained context of %1 tokens fits.").arg(spec.contextLength)
                : Facts::tr("Largest context that fits: %1 tokens.").arg(fit.largestContext);
    return text;
}

std::vector<TensorRow> tensorRows(const Checkpoint& checkpoint) {
    std::uint64_t total = 0;
    for (const TensorView& tensor : checkpoint.tensors()) total += tensor.sizeBytes;
    std::vector<TensorRow> rows;
    rows.reserve(checkpoint.tensors().size());
    const auto& files = checkpoint.files();
    for (const TensorView& tensor : checkpoint.tensors()) {
        TensorRow row;
        row.name = QString::fromStdString(tensor.name);
        row.shape = shapeText(tensor.shape);
        const auto type = kernels::info(tensor.dtype).name;
        row.type = QString::fromUtf8(type.data(), static_cast<qsizetype>(type.size()));
        row.nElements = tensor.nElements();
        row.bytes = tensor.sizeBytes;
        row.share =
            total > 0 ? static_cast<double>(tensor.sizeBytes) / static_cast<double>(total) : 0.0;
        for (const auto& file : files) {
            const auto bytes = file->bytes();
            if (std::less<>()(tensor.data, bytes.data()) ||
                !std::less<>()(tensor.data, bytes.data() + bytes.size()))
                continue;
            row.fileOffset = tensor.data - bytes.data();
            if (files.size() > 1)
                row.file = QFileInfo(QString::fromStdString(file->path())).fileName();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace lanescope::app
