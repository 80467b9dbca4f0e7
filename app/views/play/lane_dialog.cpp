#include "app/views/play/lane_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/models/number_text.h"
#include "app/models/template_library.h"
#include "app/theme/theme.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/memory_bar.h"
#include "engine/base/memory.h"
#include "engine/base/thread_pool.h"
#include "engine/lane/plan_values.h"
#include "engine/lane/run.h"

namespace lanescope::app {

LaneDialog::LaneDialog(const LaneSpec& lane, int index, ModelInfoCache* models, QWidget* parent)
    : QDialog(parent),
      m_lane(lane),
      m_models(models),
      m_model(new QComboBox(this)),
      m_backend(new QComboBox(this)),
      m_kv(new QComboBox(this)),
      m_kvValues(new QComboBox(this)),
      m_kvRotate(new QCheckBox(tr("turned"), this)),
      m_attention(new QComboBox(this)),
      m_denseLayers(new QLineEdit(this)),
      m_template(new QComboBox(this)),
      m_threads(new QSpinBox(this)),
      m_block(new QSpinBox(this)),
      m_context(new QSpinBox(this)),
      m_acts(new QComboBox(this)),
      m_products(new QComboBox(this)),
      m_sampling(new QComboBox(this)),
      m_affinity(new QCheckBox(tr("Keep every thread on a core of its own"), this)),
      m_exact(new QCheckBox(tr("Exact: fp32 activations and KV cache"), this)),
      m_pack(new QCheckBox(tr("Pack weights for speed when they are loaded"), this)),
      m_facts(new QLabel(this)),
      m_memory(new MemoryBar(this)),
      m_memoryText(new QLabel(this)),
      m_error(new ErrorBanner(this)) {
    setWindowTitle(tr("Lane %1").arg(laneLetter(index)));
    setMinimumWidth(520);
    buildForm();
    m_refresh.setSingleShot(true);
    m_refresh.setInterval(150);
    connect(&m_refresh, &QTimer::timeout, this, &LaneDialog::refresh);
    const auto later = [this] { m_refresh.start(); };
    connect(m_model, &QComboBox::currentTextChanged, this, later);
    connect(m_backend, &QComboBox::currentTextChanged, this, later);
    connect(m_backend, &QComboBox::currentTextChanged, this, &LaneDialog::showGpuOptions);
    connect(m_kv, &QComboBox::currentTextChanged, this, later);
    connect(m_attention, &QComboBox::currentTextChanged, this, later);
    for (QSpinBox* box : {m_threads, m_block, m_context})
        connect(box, &QSpinBox::valueChanged, this, later);
    connect(m_exact, &QCheckBox::toggled, this, [this](bool exact) {
        m_kv->setEnabled(!exact);
        m_kvValues->setEnabled(!exact);
        m_kvRotate->setEnabled(!exact);
        m_pack->setEnabled(!exact);
        m_acts->setEnabled(!exact);
        m_products->setEnabled(!exact);
        m_kv->setToolTip(exact ? tr("The exact path keeps the KV cache in fp32") : QString());
        m_refresh.start();
    });
    connect(m_pack, &QCheckBox::toggled, this, later);
    connect(m_kvRotate, &QCheckBox::toggled, this, later);
    connect(m_kvValues, &QComboBox::currentTextChanged, this, later);
    connect(m_denseLayers, &QLineEdit::textChanged, this, later);
    for (QComboBox* box : {m_acts, m_products, m_sampling})
        connect(box, &QComboBox::currentTextChanged, this, later);
    connect(m_models, &ModelInfoCache::changed, this, later);
    m_affinity->setChecked(lane.affinity == "cores");
    m_exact->setChecked(lane.exact);
    m_pack->setChecked(lane.pack);
    m_pack->setToolTip(
        tr("Block-quantised weights are laid out anew in memory; answers stay the same"));
    showGpuOptions();
    refresh();
}

void LaneDialog::buildForm() {
    m_model->setEditable(true);
    for (const auto& [name, path] : ModelStore::knownModels())
        if (!path.empty()) m_model->addItem(QString::fromStdString(name));
    const QStringList recent = QSettings().value(QStringLiteral("recent/models")).toStringList();
    for (const QString& path : recent)
        if (m_model->findText(path) < 0) m_model->addItem(path);
    m_model->setEditText(QString::fromStdString(m_lane.model));
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->setMinimumContentsLength(24);
    m_model->lineEdit()->setPlaceholderText(tr("a .gguf file, a model folder, or a known name"));

    m_backend->setObjectName(QStringLiteral("backend"));
    m_backend->addItem(tr("processor"), QStringLiteral("cpu"));
    m_backend->addItem(tr("NVIDIA GPU"), QStringLiteral("cuda"));
    const QString backend = QString::fromStdString(m_lane.backend);
    if (m_backend->findData(backend) < 0) m_backend->addItem(backend, backend);
    m_backend->setCurrentIndex(m_backend->findData(backend));
    m_backend->setToolTip(
        tr("Where the lane computes; a lane without its device says what is missing"));
    fillCacheOptions();
    m_acts->addItem(tr("int8, a scale per 32"), QStringLiteral("int8"));
    m_acts->addItem(tr("int8 in two terms: finer, slower"), QStringLiteral("int8x2"));
    m_acts->addItem(tr("bf16, and all weights too"), QStringLiteral("bf16"));
    m_acts->setCurrentIndex(m_acts->findData(QString::fromStdString(m_lane.acts)));
    m_acts->setToolTip(tr("How activations are rounded where they meet weights"));
    fillGpuOptions();
    m_template->addItem(tr("the model's own"), QString());
    for (const BuiltInTemplate& known : builtInTemplates())
        m_template->addItem(known.name, QString::fromStdString(known.source));
    const QString chosen = QString::fromStdString(m_lane.chatTemplate);
    if (m_template->findData(chosen) < 0) m_template->addItem(tr("edited"), chosen);
    m_template->setCurrentIndex(m_template->findData(chosen));
    m_template->setToolTip(tr("How a chat becomes text; edit it on the Model page"));
    m_threads->setRange(0, 256);
    m_threads->setSpecialValueText(tr("all (%1)").arg(usableCpuCount()));
    m_threads->setValue(m_lane.threads);
    m_block->setRange(8, 64);
    m_block->setSingleStep(8);
    m_block->setSuffix(tr(" tokens"));
    m_block->setValue(static_cast<int>(m_lane.kvBlock));
    m_context->setRange(0, 1 << 20);
    m_context->setSingleStep(512);
    m_context->setSpecialValueText(tr("default: trained context, at most 4096"));
    m_context->setValue(static_cast<int>(m_lane.context));

    auto* browse = new QPushButton(tr("Browse…"), this);
    connect(browse, &QPushButton::clicked, this, &LaneDialog::browse);
    auto* modelRow = new QHBoxLayout;
    modelRow->addWidget(m_model, 1);
    modelRow->addWidget(browse);
    auto* form = m_form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setSpacing(kSpace);
    auto* modelLabel = new QLabel(tr("&Model"), this);  // a row of two has no buddy of its own
    modelLabel->setBuddy(m_model);
    form->addRow(modelLabel, modelRow);
    form->addRow(QString(), m_facts);
    form->addRow(tr("Com&putes on"), m_backend);
    auto* cacheRow = new QHBoxLayout;
    cacheRow->addWidget(m_kv, 1);
    cacheRow->addWidget(new QLabel(tr("values"), this));
    cacheRow->addWidget(m_kvValues, 1);
    cacheRow->addWidget(m_kvRotate);
    auto* cacheLabel = new QLabel(tr("&KV cache"), this);
    cacheLabel->setBuddy(m_kv);
    form->addRow(cacheLabel, cacheRow);
    auto* attentionRow = new QHBoxLayout;
    attentionRow->addWidget(m_attention, 1);
    attentionRow->addWidget(new QLabel(tr("all keys in layers"), this));
    attentionRow->addWidget(m_denseLayers, 1);
    auto* attentionLabel = new QLabel(tr("&Attention"), this);
    attentionLabel->setBuddy(m_attention);
    form->addRow(attentionLabel, attentionRow);
    form->addRow(tr("Acti&vations"), m_acts);
    form->addRow(tr("Matri&x products"), m_products);
    form->addRow(tr("&Next token from"), m_sampling);
    form->addRow(tr("C&hat template"), m_template);
    form->addRow(tr("&Threads"), m_threads);
    form->addRow(QString(), m_affinity);
    form->addRow(tr("KV &block"), m_block);
    form->addRow(tr("&Context"), m_context);
    form->addRow(QString(), m_exact);
    form->addRow(QString(), m_pack);
    form->addRow(tr("Memory"), m_memory);
    form->addRow(QString(), m_memoryText);
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setWordWrap(true);
    m_memoryText->setWordWrap(true);
    m_error->setClosable(false);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("OK"));
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpaceL, kSpaceL, kSpaceL, kSpaceL);
    layout->setSpacing(kSpaceL);
    layout->addLayout(form);
    layout->addWidget(m_error);
    layout->addStretch();
    layout->addWidget(buttons);
}

void LaneDialog::fillCacheOptions() {
    m_kvValues->setObjectName(QStringLiteral("kvValues"));
    m_kvValues->addItem(tr("as keys"), QString());
    for (const std::string_view format : plan::kKvFormats) {
        const QString name =
            QString::fromUtf8(format.data(), static_cast<qsizetype>(format.size()));
        m_kv->addItem(name);
        m_kvValues->addItem(name, name);
    }
    m_kv->setCurrentText(QString::fromStdString(m_lane.kv));
    m_kvValues->setCurrentIndex(m_kvValues->findData(QString::fromStdString(m_lane.kvValues)));
    m_kvValues->setToolTip(tr("Number format of values, where it is another than that of keys"));
    m_kvRotate->setChecked(m_lane.kvRotate);
    m_kvRotate->setToolTip(
        tr("A Hadamard matrix spreads what is large in a few channels before it is rounded"));
    m_attention->setEditable(true);
    m_attention->addItems({QStringLiteral("flash"), QStringLiteral("naive"),
                           QStringLiteral("window:1024+4"), QStringLiteral("block-sparse:64,8,8"),
                           QStringLiteral("pages:32"), QStringLiteral("heavy:512+512")});
    m_attention->setCurrentText(QString::fromStdString(m_lane.attention));
    m_attention->setToolTip(
        tr("flash; naive; window:W+S: the last W keys and the first S; block-sparse:B,L,S: in "
           "blocks of B the last L and every S-th; pages:K: the K blocks that match a query best; "
           "heavy:R+H: the "
           "last R and the H that got the most weight"));
    m_denseLayers->setText(QString::fromStdString(m_lane.denseLayers));
    m_denseLayers->setPlaceholderText(tr("none, such as 0-1,5"));
    m_denseLayers->setToolTip(tr("Layers that look at all keys all the same"));
}

void LaneDialog::fillGpuOptions() {
    m_products->setObjectName(QStringLiteral("products"));
    m_products->addItem(tr("own kernels"), QStringLiteral("own"));
    m_products->addItem(tr("NVIDIA's cuBLASLt, for f16 and bf16 weights"),
                        QStringLiteral("cublaslt"));
    m_products->setCurrentIndex(m_products->findData(QString::fromStdString(m_lane.products)));
    m_products->setToolTip(
        tr("Who multiplies f16 and bf16 matrices; a lane that cannot have the library says why"));
    m_sampling->setObjectName(QStringLiteral("sampling"));
    m_sampling->addItem(tr("processor: all logits are copied back"), QStringLiteral("host"));
    m_sampling->addItem(tr("GPU: only the tokens are"), QStringLiteral("device"));
    m_sampling->setCurrentIndex(m_sampling->findData(QString::fromStdString(m_lane.sampling)));
    m_sampling->setToolTip(tr("Where logits become tokens; the same seed gives the same tokens"));
}

bool LaneDialog::onGpu() const {
    return cudaDevice(m_backend->currentData().toString().toStdString()).has_value();
}

void LaneDialog::showGpuOptions() {
    for (QComboBox* box : {m_products, m_sampling}) m_form->setRowVisible(box, onGpu());
}

LaneSpec LaneDialog::lane() const {
    LaneSpec lane = m_lane;
    lane.model = m_model->currentText().trimmed().toStdString();
    lane.backend = m_backend->currentData().toString().toStdString();
    lane.kv = m_kv->currentText().toStdString();
    lane.kvValues = m_kvValues->currentData().toString().toStdString();
    lane.kvRotate = m_kvRotate->isChecked();
    lane.attention = m_attention->currentText().trimmed().toStdString();
    lane.denseLayers = m_denseLayers->text().trimmed().toStdString();
    lane.threads = m_threads->value();
    lane.kvBlock = m_block->value();
    lane.context = m_context->value();
    lane.acts = m_acts->currentData().toString().toStdString();
    lane.products = onGpu() ? m_products->currentData().toString().toStdString() : "own";
    lane.sampling = onGpu() ? m_sampling->currentData().toString().toStdString() : "host";
    lane.affinity = m_affinity->isChecked() ? "cores" : "none";
    lane.exact = m_exact->isChecked();
    lane.pack = m_pack->isChecked();
    lane.chatTemplate = m_template->currentData().toString().toStdString();
    return lane;
}

void LaneDialog::browse() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Choose a checkpoint"), QString(),
        tr("Checkpoints (*.gguf *.safetensors config.json);;All files (*)"));
    if (path.isEmpty()) return;
    // A Hugging Face model is its folder.
    m_model->setEditText(path.endsWith(QLatin1String("/config.json")) ? path.chopped(12) : path);
}

void LaneDialog::refresh() {
    const LaneSpec edited = lane();
    if (edited.model.empty()) {
        m_facts->setText(tr("No model chosen yet"));
        m_memory->setFigures({}, {}, 0, 0);
        m_memoryText->clear();
        m_error->setError({}, {});
        return;
    }
    const auto info = m_models->info(edited.model);
    if (info->state == ModelInfo::State::Reading) {
        m_facts->setText(tr("Reading…"));
        return;
    }
    const auto estimate = estimateLane(edited, *info);
    if (!estimate) {
        const Error& error = estimate.error();
        m_error->setError(QString::fromStdString(error.message),
                          QString::fromStdString(error.nextStep));
        m_memory->setFigures({}, {}, 0, 0);
        m_memoryText->clear();
        if (info->state == ModelInfo::State::Failed) m_facts->clear();
        return;
    }
    m_error->setError({}, {});
    m_facts->setText(tr("%1 · %2 layers · width %3 · %4 heads, %5 KV heads · trained context %6")
                         .arg(QString::fromStdString(info->spec.architecture))
                         .arg(info->spec.nLayers)
                         .arg(info->spec.dim)
                         .arg(info->spec.nHeads)
                         .arg(info->spec.nKvHeads)
                         .arg(info->spec.contextLength));
    const std::uint64_t freeBytes = availableMemoryBytes();
    m_memory->setFigures(*estimate, {}, std::max(estimate->total(), std::uint64_t{1}) * 5 / 4,
                         freeBytes);
    QString text = tr("est. weights %1 + KV %2 + compute %3 = %4; %5 free")
                       .arg(bytesText(estimate->weightBytes), bytesText(estimate->kvBytes),
                            bytesText(estimate->scratchBytes), bytesText(estimate->total()),
                            bytesText(freeBytes));
    if (freeBytes > 0 && estimate->total() > freeBytes)
        text += QLatin1Char('\n') + tr("More than is free: choose a shorter context.");
    m_memoryText->setText(text);
}

}  // namespace lanescope::app
