#include "app/views/model/model_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/bridge/model_info.h"
#include "app/models/model_facts.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/model/metadata_view.h"
#include "app/views/model/overview_view.h"
#include "app/views/model/template_view.h"
#include "app/views/model/tensors_view.h"
#include "app/views/model/tokenizer_view.h"
#include "app/widgets/error_banner.h"

namespace lanescope::app {

namespace {
const QString kTabKey = QStringLiteral("model/tab");
}

ModelPage::ModelPage(PlanDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_task(this, [this](std::shared_ptr<const ModelInspection> result) { show(result); }),
      m_models(new QComboBox(this)),
      m_open(new QPushButton(tr("Open…"), this)),
      m_summary(new QLabel(this)),
      m_error(new ErrorBanner(this)),
      m_stack(new QStackedWidget(this)),
      m_empty(new QLabel),
      m_tabs(new QTabWidget),
      m_overview(new OverviewView),
      m_tensors(new TensorsView),
      m_metadata(new MetadataView),
      m_tokenizer(new TokenizerView),
      m_template(new TemplateView(document)) {
    m_models->setAccessibleName(tr("Model"));
    m_models->setToolTip(tr("Models of the lanes, and the one opened last"));
    m_models->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_models->setMaximumWidth(420);
    m_open->setIcon(themeIcon(QStringLiteral("open")));
    m_open->setToolTip(tr("Choose another model (Ctrl+O)"));
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_error->setClosable(false);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(kSpaceXl);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    top->setSpacing(kSpace);
    top->addWidget(m_models);
    top->addWidget(m_open);
    top->addWidget(m_summary, 1);
    auto* banner = new QVBoxLayout;
    banner->setContentsMargins(kSpace, 0, kSpace, kSpaceS);
    banner->addWidget(m_error);
    m_tabs->addTab(m_overview, tr("Overview"));
    m_tabs->addTab(m_tensors, tr("Tensors"));
    m_tabs->addTab(m_metadata, tr("Metadata"));
    m_tabs->addTab(m_tokenizer, tr("Tokenizer"));
    m_tabs->addTab(m_template, tr("Chat template"));
    m_tabs->setDocumentMode(true);
    m_tabs->setCurrentIndex(QSettings().value(kTabKey, 0).toInt());
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_tabs);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addLayout(banner);
    layout->addWidget(m_stack, 1);

    connect(m_tabs, &QTabWidget::currentChanged, this,
            [](int index) { QSettings().setValue(kTabKey, index); });
    connect(m_models, &QComboBox::currentIndexChanged, this, &ModelPage::inspectIfSeen);
    connect(m_open, &QPushButton::clicked, this, &ModelPage::openRequested);
    connect(m_document, &PlanDocument::lanesChanged, this, [this] {
        fillModels();
        inspectIfSeen();
    });
    fillModels();
    inspectIfSeen();
}

void ModelPage::fillModels() {
    const QString before = model();
    const QSignalBlocker blocker(m_models);
    m_models->clear();
    const auto add = [this](const QString& name) {
        if (name.isEmpty() || m_models->findData(name) >= 0) return;
        m_models->addItem(shortModelName(name.toStdString()), name);
        m_models->setItemData(m_models->count() - 1, name, Qt::ToolTipRole);
    };
    for (const LaneSpec& lane : m_document->plan().lanes) add(QString::fromStdString(lane.model));
    // A model that is only looked at stays while it is shown.
    if (m_models->findData(before) < 0 && m_document->laneCount() == 0) add(before);
    m_models->setCurrentIndex(std::max(0, m_models->findData(before)));
    m_models->setVisible(m_models->count() > 0);
}

QString ModelPage::model() const {
    return m_models->currentData().toString();
}

void ModelPage::setModel(const QString& model) {
    if (m_models->findData(model) < 0)
        m_models->addItem(shortModelName(model.toStdString()), model);
    m_models->setVisible(true);
    m_models->setCurrentIndex(m_models->findData(model));
    inspectIfSeen();
}

void ModelPage::showTab(Tab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

bool ModelPage::showsContent() const {
    return m_stack->currentWidget() == m_tabs;
}

void ModelPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    inspectIfSeen();
}

void ModelPage::inspectIfSeen() {
    const QString name = model();
    if (name.isEmpty()) {
        m_asked.clear();
        m_task.drop();
        m_inspection.reset();
        m_summary->clear();
        m_error->setError({}, {});
        m_empty->setText(
            tr("No model yet. Open one (Ctrl+O): its architecture, tensors, metadata, "
               "tokenizer and chat template are shown here."));
        m_stack->setCurrentWidget(m_empty);
        return;
    }
    if (!isVisible() || name == m_asked) return;
    m_asked = name;
    m_inspection.reset();
    m_summary->setText(tr("Reading…"));
    m_error->setError({}, {});
    m_task.start([model = name.toStdString()] {
        return std::make_shared<const ModelInspection>(inspectModel(model));
    });
}

void ModelPage::show(const std::shared_ptr<const ModelInspection>& inspection) {
    m_inspection = inspection;
    m_error->setError(problemText(*inspection), problemDetails(*inspection));
    m_error->showDetails();
    const bool any = inspection->checkpoint != nullptr;
    if (!any) {
        m_empty->setText(tr("Nothing of this model can be shown."));
        m_summary->clear();
        m_stack->setCurrentWidget(m_empty);
        emit inspected();
        return;
    }
    QStringList parts;
    if (!inspection->architecture.isEmpty()) parts << inspection->architecture;
    if (inspection->model)
        parts << tr("%1 parameters").arg(parameterText(inspection->model->parameters().total()));
    parts << bytesText(inspection->tensorBytes);
    if (!inspection->types.empty()) parts << inspection->types.front().type;
    m_summary->setText(parts.join(QStringLiteral(" · ")));
    m_overview->setModel(*inspection);
    m_tensors->setModel(*inspection);
    m_metadata->setModel(*inspection);
    m_tokenizer->setTokenizer(inspection->model ? inspection->model->tokenizer() : nullptr,
                              inspection->model
                                  ? QString::fromStdString(inspection->model->tokenizerError())
                                  : problemText(*inspection));
    m_template->setModel(*inspection);
    m_stack->setCurrentWidget(m_tabs);
    emit inspected();
}

}  // namespace lanescope::app
