#include "app/views/open/model_card.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/bridge/model_info.h"
#include "app/models/model_facts.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/bar_list.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/facts_grid.h"
#include "app/widgets/memory_bar.h"
#include "app/widgets/type_bars.h"
#include "engine/decode/settings.h"
#include "engine/lane/plan_values.h"

namespace lanescope::app {

namespace {
const QString kKvKey = QStringLiteral("open/kv");
}

ModelCard::ModelCard(QWidget* parent)
    : QWidget(parent),
      m_task(this, [this](std::shared_ptr<const ModelInspection> result) { show(result); }),
      m_title(new ElidedLabel(this)),
      m_path(new ElidedLabel(this)),
      m_error(new ErrorBanner(this)),
      m_facts(new FactsGrid(1, this)),
      m_typesTitle(new QLabel(tr("Bytes by tensor type"), this)),
      m_types(new BarList(this)),
      m_need(new QWidget(this)),
      m_context(new QSpinBox(this)),
      m_kv(new QComboBox(this)),
      m_largest(new QPushButton(tr("Largest"), this)),
      m_memory(new MemoryBar(this)),
      m_memoryText(new QLabel(this)),
      m_hint(new QLabel(this)) {
    m_title->setFont(uiFont(2, true));
    m_title->setElideMode(Qt::ElideMiddle);
    m_path->setElideMode(Qt::ElideMiddle);
    m_error->setClosable(false);
    m_typesTitle->setFont(uiFont(0, true));
    m_types->setAccessibleName(m_typesTitle->text());
    m_context->setRange(0, 1 << 24);
    m_context->setSingleStep(512);
    m_context->setSpecialValueText(tr("default (at most 4096)"));
    m_context->setSuffix(tr(" tokens"));
    m_context->setAccessibleName(tr("Context"));
    m_context->setToolTip(tr("Tokens the KV cache has room for"));
    for (const std::string_view format : plan::kKvFormats)
        m_kv->addItem(QString::fromUtf8(format.data(), static_cast<qsizetype>(format.size())));
    m_kv->setCurrentText(QSettings().value(kKvKey, QStringLiteral("fp16")).toString());
    m_largest->setToolTip(tr("The largest context that fits in what is free now"));
    connect(m_largest, &QPushButton::clicked, this,
            [this] { m_context->setValue(static_cast<int>(m_largestContext)); });
    m_kv->setAccessibleName(tr("KV cache"));
    m_kv->setToolTip(tr("Number format of the KV cache"));
    m_memoryText->setWordWrap(true);
    m_memoryText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_memoryText->setAccessibleName(tr("Memory"));
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setForegroundRole(QPalette::PlaceholderText);

    auto* choices = new QHBoxLayout;
    choices->setSpacing(kSpace);
    auto* contextLabel = new QLabel(tr("&Context"), this);
    contextLabel->setBuddy(m_context);
    auto* kvLabel = new QLabel(tr("&KV cache"), this);
    kvLabel->setBuddy(m_kv);
    choices->addWidget(contextLabel);
    choices->addWidget(m_context);
    choices->addWidget(m_largest);
    choices->addSpacing(kSpace);
    choices->addWidget(kvLabel);
    choices->addWidget(m_kv);
    choices->addStretch(1);
    auto* need = new QVBoxLayout(m_need);
    need->setContentsMargins(0, 0, 0, 0);
    need->setSpacing(kSpaceS);
    need->addLayout(choices);
    need->addWidget(m_memory);
    need->addWidget(m_memoryText);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpace, 0, kSpace, 0);
    layout->setSpacing(kSpace);
    layout->addWidget(m_title);
    layout->addWidget(m_path);
    layout->addWidget(m_error);
    layout->addWidget(m_facts);
    layout->addWidget(m_typesTitle);
    layout->addWidget(m_types);
    layout->addWidget(m_need);
    layout->addWidget(m_hint, 1);
    layout->addStretch(0);

    connect(m_context, &QSpinBox::valueChanged, this, &ModelCard::updateMemory);
    connect(m_kv, &QComboBox::currentTextChanged, this, [this](const QString& kv) {
        QSettings().setValue(kKvKey, kv);
        updateMemory();
    });
    inspect({});
}

std::int64_t ModelCard::context() const {
    return m_context->value();
}

std::string ModelCard::kv() const {
    return m_kv->currentText().toStdString();
}

void ModelCard::inspect(const QString& model) {
    m_inspection.reset();
    m_error->setError({}, {});
    m_facts->hide();
    m_typesTitle->hide();
    m_types->hide();
    m_need->hide();
    m_path->hide();
    m_hint->show();
    m_title->setText(model.isEmpty() ? QString() : shortModelName(model.toStdString()));
    if (model.isEmpty()) {
        m_task.drop();
        m_hint->setText(
            tr("Choose a model at the left, or a file or folder above: its figures and "
               "what it needs are shown here before it is loaded."));
        return;
    }
    m_hint->setText(tr("Reading…"));
    m_task.start([name = model.toStdString()] {
        return std::make_shared<const ModelInspection>(inspectModel(name));
    });
}

void ModelCard::show(const std::shared_ptr<const ModelInspection>& inspection) {
    m_inspection = inspection;
    m_hint->hide();
    m_path->setText(inspection->path);
    m_path->setColor(themeColors().textMuted);
    m_path->setVisible(!inspection->path.isEmpty());
    m_error->setError(problemText(*inspection), problemDetails(*inspection));
    m_error->showDetails();
    m_facts->setFacts(mainFacts(*inspection));
    m_facts->setVisible(!m_facts->facts().empty());
    showTypes(m_types, inspection->types, inspection->tensorBytes);
    m_types->setVisible(!inspection->types.empty());
    m_typesTitle->setVisible(!inspection->types.empty());
    m_need->setVisible(inspection->usable());
    updateMemory();
    emit inspected();
}

void ModelCard::updateMemory() {
    if (!m_inspection || !m_inspection->usable()) return;
    const ModelSpec& spec = m_inspection->model->spec();
    LaneSpec lane;
    lane.kv = kv();
    lane.context = context();
    const auto fit =
        fitMemory(spec, weightBytes(*m_inspection->checkpoint), lane, availableMemoryBytes());
    if (!fit) {
        m_memory->setFigures({}, {}, 0, 0);
        m_memoryText->setText(QString::fromStdString(fit.error().toString()));
        return;
    }
    // Up to a quarter of what is free, the parts matter more than the rest of the machine.
    const std::uint64_t total = fit->estimate.total();
    m_memory->setFigures(fit->estimate, {},
                         fit->freeBytes / 4 > total ? std::max<std::uint64_t>(total, 1) * 5 / 4
                                                    : std::max(fit->freeBytes, total),
                         fit->freeBytes);
    m_largestContext = fit->largestContext;
    m_largest->setEnabled(fit->freeBytes > 0 && m_largestContext > 0);
    m_memoryText->setText(memoryText(*fit, spec));
    QPalette colors = palette();
    if (!fit->fits) colors.setColor(QPalette::WindowText, themeColors().bad);
    m_memoryText->setPalette(colors);
}

}  // namespace lanescope::app
