#include "app/views/serving/serving_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSpinBox>
#include <QStackedWidget>

#include "app/bridge/model_info.h"
#include "app/theme/theme.h"
#include "app/widgets/icon_button.h"
#include "app/widgets/policy_words.h"

namespace lanescope::app {

namespace {

enum Pattern { kPoisson, kBurst, kFile };
constexpr std::array kPolicies{BatchPolicy::Continuous, BatchPolicy::Static,
                               BatchPolicy::Sequential};

QSpinBox* spin(int least, int most, int value) {
    auto* box = new QSpinBox;
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

QDoubleSpinBox* decimal(double least, double most, double value, const QString& unit) {
    auto* box = new QDoubleSpinBox;
    box->setDecimals(value < 100.0 ? 2 : 0);
    box->setRange(least, most);
    box->setValue(value);
    box->setSuffix(QLatin1Char(' ') + unit);
    return box;
}

void addRow(QFormLayout* form, const QString& label, QWidget* field, const QString& tip) {
    auto* text = new QLabel(label);
    text->setBuddy(field);
    text->setToolTip(tip);
    field->setToolTip(tip);
    field->setAccessibleName(label);
    form->addRow(text, field);
}

void addHead(QFormLayout* form, const QString& text) {
    auto* head = new QLabel(text);
    head->setFont(uiFont(0, true));
    form->addRow(head);
}

QWidget* inRow(std::initializer_list<QWidget*> widgets) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpaceS);
    for (QWidget* widget : widgets) layout->addWidget(widget);
    return row;
}

QString key(const char* name) {
    return QStringLiteral("serving/") + QLatin1String(name);
}

}  // namespace

ServingForm::ServingForm(PlanDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_lane(new QComboBox),
      m_pattern(new QComboBox),
      m_patterns(new QStackedWidget),
      m_rate(decimal(0.01, 10'000.0, 4.0, tr("a second"))),
      m_every(decimal(0.01, 10'000.0, 10.0, QStringLiteral("s"))),
      m_burst(spin(1, 100'000, 16)),
      m_requests(spin(1, 100'000, 16)),
      m_shared(spin(0, 1 << 20, 0)),
      m_seed(spin(0, 1'000'000'000, 1)),
      m_maxRunning(spin(1, 256, 16)),
      m_budget(spin(1, 8192, 256)),
      m_blocks(spin(0, 1 << 24, 0)),
      m_file(new QLineEdit),
      m_prompt(new QLineEdit(QStringLiteral("16-128"))),
      m_output(new QLineEdit(QStringLiteral("16-48"))),
      m_ttft(decimal(1.0, 1e7, 2000.0, QStringLiteral("ms"))),
      m_tpot(decimal(1.0, 1e7, 200.0, QStringLiteral("ms"))),
      m_run(new QPushButton(tr("Serve"))),
      m_stop(new QPushButton(tr("Stop"))) {
    auto* inner = new QWidget;
    auto* form = new QFormLayout(inner);
    form->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    form->setVerticalSpacing(kSpaceS);
    form->setHorizontalSpacing(kSpace);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    buildLoad(form);
    buildEngine(form);
    buildPolicies(form);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(inner);
    m_run->setIcon(themeIcon(QStringLiteral("run")));
    m_run->setObjectName(QStringLiteral("serve"));
    m_stop->setIcon(themeIcon(QStringLiteral("stop")));
    m_stop->setObjectName(QStringLiteral("stopServing"));
    auto* buttons = inRow({m_run, m_stop});
    buttons->layout()->setContentsMargins(kSpace, kSpaceS, kSpace, kSpace);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(scroll, 1);
    column->addWidget(buttons);
    setMinimumWidth(248);
    setMaximumWidth(340);
    connect(m_document, &PlanDocument::lanesChanged, this, &ServingForm::fillLanes);
    connect(m_lane, &QComboBox::currentIndexChanged, this, &ServingForm::laneChanged);
    connect(m_run, &QPushButton::clicked, this, [this] {
        remember();
        emit runRequested();
    });
    connect(m_stop, &QPushButton::clicked, this, &ServingForm::stopRequested);
    for (QDoubleSpinBox* box : {m_ttft, m_tpot})
        connect(box, &QDoubleSpinBox::valueChanged, this, [this] {
            remember();
            emit goalChanged();
        });
    fillLanes();
    restore();
    updateRun();
}

void ServingForm::buildLoad(QFormLayout* form) {
    m_lane->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_lane->setMinimumContentsLength(8);
    addRow(form, tr("Lane"), m_lane,
           tr("Its model and settings; the context is as long as the longest request needs"));
    addHead(form, tr("Requests"));
    m_pattern->addItems({tr("Poisson"), tr("Bursts"), tr("From a file")});
    m_pattern->setObjectName(QStringLiteral("arrivalPattern"));
    addRow(form, tr("Arrive"), m_pattern,
           tr("Poisson: at random, so many a second on average. Bursts: so many at once. A file "
              "has a line of JSON for each request."));
    m_rate->setAccessibleName(tr("Requests a second"));
    m_burst->setAccessibleName(tr("Requests in a burst"));
    m_every->setAccessibleName(tr("Seconds between bursts"));
    m_every->setPrefix(tr("every "));
    m_file->setAccessibleName(tr("File of arrivals"));
    m_file->setPlaceholderText(tr("arrivals.jsonl"));
    auto* open = new IconButton(QStringLiteral("open"), tr("Choose a file of arrivals"));
    connect(open, &QToolButton::clicked, this, &ServingForm::browse);
    m_patterns->addWidget(m_rate);
    m_patterns->addWidget(inRow({m_burst, m_every}));
    m_patterns->addWidget(inRow({m_file, open}));
    m_patterns->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    form->addRow(m_patterns);
    connect(m_pattern, &QComboBox::currentIndexChanged, this, [this](int kind) {
        m_patterns->setCurrentIndex(kind);
        m_requests->setEnabled(kind != kFile);
    });
    m_pattern->setCurrentIndex(kBurst);
    addRow(form, tr("Number"), m_requests, tr("Requests in all"));
    addRow(form, tr("Prompt tokens"), m_prompt,
           tr("A number, or a range that lengths are drawn from, short ones more often: 16-128"));
    addRow(form, tr("Answer tokens"), m_output,
           tr("A number or a range. Every request gets just so many tokens, so that policies do "
              "the same work."));
    addRow(form, tr("Same beginning"), m_shared,
           tr("Tokens that all prompts begin with; their KV blocks are shared"));
    addRow(form, tr("Seed"), m_seed, tr("The same seed gives the same requests on every machine"));
}

void ServingForm::buildEngine(QFormLayout* form) {
    addHead(form, tr("Limits"));
    addRow(form, tr("At once"), m_maxRunning, tr("Requests that may run at the same time"));
    addRow(form, tr("Tokens a pass"), m_budget,
           tr("Of one forward pass: every running request's next token first, then pieces of "
              "prompts"));
    m_blocks->setSpecialValueText(tr("enough for all"));
    addRow(form, tr("KV blocks"), m_blocks,
           tr("Of the cache. With fewer than all requests need, some are preempted and computed "
              "again."));
}

void ServingForm::buildPolicies(QFormLayout* form) {
    addHead(form, tr("Policies, one after the other"));
    for (std::size_t i = 0; i < kPolicies.size(); ++i) {
        m_policies[i] = new QCheckBox(policyName(kPolicies[i]));
        m_policies[i]->setToolTip(policyTip(kPolicies[i]));
        m_policies[i]->setChecked(true);
        form->addRow(m_policies[i]);
        connect(m_policies[i], &QCheckBox::toggled, this, &ServingForm::updateRun);
    }
    addHead(form, tr("Goal (SLO)"));
    addRow(
        form, tr("TTFT at most"), m_ttft,
        tr("Arrival to first token. Goodput counts requests that keep both (arXiv 2401.09670)."));
    addRow(form, tr("TPOT at most"), m_tpot,
           tr("Mean time per token after the first, of a request"));
}

void ServingForm::fillLanes() {
    const int before = std::max(m_lane->currentIndex(), 0);
    const QSignalBlocker blocker(m_lane);
    m_lane->clear();
    for (const LaneSpec& lane : m_document->plan().lanes)
        m_lane->addItem(QStringLiteral("%1 · kv %2 · %3")
                            .arg(QString::fromStdString(lane.name), QString::fromStdString(lane.kv),
                                 shortModelName(lane.model)));
    if (m_lane->count() > 0) m_lane->setCurrentIndex(std::min(before, m_lane->count() - 1));
    updateRun();
    emit laneChanged();
}

bool ServingForm::hasLane() const {
    return m_lane->currentIndex() >= 0;
}

QString ServingForm::laneText() const {
    return m_lane->currentText();
}

std::string ServingForm::arrivals() const {
    switch (m_pattern->currentIndex()) {
        case kPoisson:
            return "poisson:" + QString::number(m_rate->value(), 'g', 10).toStdString();
        case kBurst:
            return "burst:" + std::to_string(m_burst->value()) + "@" +
                   QString::number(m_every->value(), 'g', 10).toStdString();
        default:
            return m_file->text().toStdString();
    }
}

ServingSpec ServingForm::spec() const {
    ServingSpec spec;
    spec.laneIndex = static_cast<std::int16_t>(m_lane->currentIndex());
    spec.lane = m_document->plan().lanes[static_cast<std::size_t>(spec.laneIndex)];
    spec.baseDir = m_document->baseDir().toStdString();
    spec.arrivals = arrivals();
    spec.nRequests = m_requests->value();
    spec.promptTokens = m_prompt->text().trimmed().toStdString();
    spec.outputTokens = m_output->text().trimmed().toStdString();
    spec.sharedPrefix = m_shared->value();
    spec.seed = static_cast<std::uint64_t>(m_seed->value());
    spec.maxRunning = m_maxRunning->value();
    spec.tokenBudget = m_budget->value();
    spec.poolBlocks = m_blocks->value();
    spec.sampling = m_document->plan().sampling.settings;
    spec.policies.clear();
    for (std::size_t i = 0; i < kPolicies.size(); ++i)
        if (m_policies[i]->isChecked()) spec.policies.push_back(kPolicies[i]);
    return spec;
}

profiler::ServingGoal ServingForm::goal() const {
    return {m_ttft->value(), m_tpot->value()};
}

void ServingForm::setRunning(bool running, bool cancelling) {
    m_running = running;
    m_stop->setEnabled(running && !cancelling);
    updateRun();
}

void ServingForm::setBlocked(const QString& reason) {
    m_blocked = reason;
    updateRun();
}

void ServingForm::updateRun() {
    const bool some = std::ranges::any_of(
        m_policies, [](const auto* box) { return box != nullptr && box->isChecked(); });
    m_run->setEnabled(!m_running && m_blocked.isEmpty() && hasLane() && some);
    m_run->setToolTip(!m_blocked.isEmpty() ? m_blocked
                      : !hasLane()         ? tr("Open a model first")
                      : !some              ? tr("Tick a policy first")
                                           : tr("Serve the requests under every ticked policy"));
    if (!m_running) m_stop->setEnabled(false);
}

void ServingForm::browse() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Choose a file of arrivals"), QString(),
                                     tr("Lines of JSON (*.jsonl *.json *.txt);;All files (*)"));
    if (!path.isEmpty()) m_file->setText(path);
}

void ServingForm::setArrivals(const QString& text) {
    const auto pattern = parseArrivals(text.toStdString());
    if (!pattern) return;
    m_pattern->setCurrentIndex(static_cast<int>(pattern->kind));
    m_rate->setValue(pattern->rate);
    m_burst->setValue(static_cast<int>(pattern->size));
    m_every->setValue(pattern->everySeconds);
    if (pattern->kind == ArrivalPattern::Kind::File) m_file->setText(text);
}

void ServingForm::setLoad(int requests, const QString& promptTokens, const QString& outputTokens,
                          int sharedPrefix) {
    m_shared->setValue(sharedPrefix);
    m_requests->setValue(requests);
    m_prompt->setText(promptTokens);
    m_output->setText(outputTokens);
}

void ServingForm::setLimits(int maxRunning, int tokenBudget, int kvBlocks) {
    m_maxRunning->setValue(maxRunning);
    m_budget->setValue(tokenBudget);
    m_blocks->setValue(kvBlocks);
}

void ServingForm::remember() const {
    QSettings settings;
    settings.setValue(key("arrivals"), QString::fromStdString(arrivals()));
    settings.setValue(key("prompt"), m_prompt->text());
    settings.setValue(key("output"), m_output->text());
    for (const auto& [name, box] :
         {std::pair{"requests", m_requests}, std::pair{"shared", m_shared},
          std::pair{"seed", m_seed}, std::pair{"maxRunning", m_maxRunning},
          std::pair{"budget", m_budget}, std::pair{"blocks", m_blocks}})
        settings.setValue(key(name), box->value());
    settings.setValue(key("ttft"), m_ttft->value());
    settings.setValue(key("tpot"), m_tpot->value());
    int ticked = 0;
    for (std::size_t i = 0; i < m_policies.size(); ++i)
        ticked |= m_policies[i]->isChecked() ? 1 << i : 0;
    settings.setValue(key("policies"), ticked);
}

void ServingForm::restore() {
    const QSettings settings;
    if (!settings.contains(key("arrivals"))) return;
    const QSignalBlocker noTtft(m_ttft), noTpot(m_tpot);
    setArrivals(settings.value(key("arrivals")).toString());
    m_prompt->setText(settings.value(key("prompt")).toString());
    m_output->setText(settings.value(key("output")).toString());
    for (const auto& [name, box] :
         {std::pair{"requests", m_requests}, std::pair{"shared", m_shared},
          std::pair{"seed", m_seed}, std::pair{"maxRunning", m_maxRunning},
          std::pair{"budget", m_budget}, std::pair{"blocks", m_blocks}})
        box->setValue(settings.value(key(name), box->value()).toInt());
    m_ttft->setValue(settings.value(key("ttft"), m_ttft->value()).toDouble());
    m_tpot->setValue(settings.value(key("tpot"), m_tpot->value()).toDouble());
    const int ticked = settings.value(key("policies"), 7).toInt();
    for (std::size_t i = 0; i < m_policies.size(); ++i)
        m_policies[i]->setChecked((ticked >> i & 1) != 0);
}

}  // namespace lanescope::app
