#include "app/views/cache/calculator_tab.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSettings>
#include <QSpinBox>
#include <cmath>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/cache/formats_tab.h"
#include "app/widgets/data_table.h"
#include "app/widgets/facts_grid.h"
#include "engine/base/json.h"

namespace lanescope::app {

namespace {

using kernels::KvFormat;

QSpinBox* spin(int least, int most) {
    auto* box = new QSpinBox;
    box->setRange(least, most);
    return box;
}

QString key(const char* name) {
    return QStringLiteral("cache/calculator/") + QLatin1String(name);
}

}  // namespace

CalculatorTab::CalculatorTab(PlanDocument* document, ModelInfoCache* models, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_models(models),
      m_lane(new QComboBox),
      m_layers(spin(1, 1000)),
      m_heads(spin(1, 1024)),
      m_dim(spin(4, 4096)),
      m_context(spin(1, 1 << 24)),
      m_batch(spin(1, 4096)),
      m_block(spin(8, 64)),
      m_keys(new QComboBox),
      m_values(new QComboBox),
      m_formula(new QLabel),
      m_problem(new QLabel),
      m_facts(new FactsGrid(1)),
      m_model(new CellModel(this)),
      m_table(new DataTable) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(buildForm());
    row->addWidget(buildResult(), 1);
    fillLanes();
    restore();
    connect(m_document, &PlanDocument::lanesChanged, this, &CalculatorTab::fillLanes);
    connect(m_models, &ModelInfoCache::changed, this, &CalculatorTab::onModelRead);
    connect(m_lane, &QComboBox::activated, this, [this](int index) { takeLane(index - 1); });
    const auto edited = [this] {
        if (m_filling) return;
        m_lane->setCurrentIndex(0);
        remember();
        recompute();
    };
    for (QSpinBox* box : {m_layers, m_heads, m_dim})
        connect(box, &QSpinBox::valueChanged, this, edited);
    const auto changed = [this] {
        if (m_filling) return;
        remember();
        recompute();
    };
    for (QSpinBox* box : {m_context, m_batch, m_block})
        connect(box, &QSpinBox::valueChanged, this, changed);
    for (QComboBox* box : {m_keys, m_values})
        connect(box, &QComboBox::currentIndexChanged, this, changed);
    recompute();
}

QWidget* CalculatorTab::buildForm() {
    auto* inner = new QWidget;
    auto* form = new QFormLayout(inner);
    form->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    form->setVerticalSpacing(kSpaceS);
    form->setHorizontalSpacing(kSpace);
    m_lane->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_lane->setMinimumContentsLength(8);
    for (int i = 0; i < kernels::kKvFormats; ++i) {
        m_keys->addItem(kvFormatLabel(i));
        m_values->addItem(kvFormatLabel(i));
    }
    const auto add = [&](const QString& label, QWidget* field, const QString& tip) {
        auto* text = new QLabel(label);
        text->setBuddy(field);
        text->setToolTip(tip);
        field->setToolTip(tip);
        field->setAccessibleName(label);
        form->addRow(text, field);
    };
    add(tr("From"), m_lane, tr("Fills the shape in from a lane's model and its KV formats"));
    add(tr("Layers"), m_layers, tr("That have a KV cache"));
    add(tr("KV heads"), m_heads, tr("Fewer than the query heads with grouped-query attention"));
    add(tr("Head size"), m_dim, tr("Columns of a head"));
    add(tr("Tokens"), m_context, tr("Of each sequence"));
    add(tr("Batch"), m_batch, tr("Sequences at once"));
    add(tr("Block"), m_block, tr("Tokens of a block; sequences take whole blocks"));
    add(tr("Keys as"), m_keys, tr("Format that keys are stored in"));
    add(tr("Values as"), m_values, tr("Format that values are stored in"));
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(inner);
    scroll->setFixedWidth(264);
    return scroll;
}

QWidget* CalculatorTab::buildResult() {
    auto* result = new QWidget;
    auto* column = new QVBoxLayout(result);
    column->setContentsMargins(kSpaceL, kSpaceL, kSpaceL, kSpace);
    column->setSpacing(kSpaceL);
    m_formula->setWordWrap(true);
    m_formula->setFont(uiFont(2));
    m_formula->setTextFormat(Qt::PlainText);
    m_formula->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_formula->setAccessibleName(tr("Formula"));
    m_problem->setWordWrap(true);
    m_table->setSource(m_model);
    m_table->setAccessibleName(tr("Every format for this shape"));
    m_table->horizontalHeader()->setStretchLastSection(false);
    column->addWidget(m_formula);
    column->addWidget(m_problem);
    column->addWidget(m_facts);
    column->addWidget(m_table, 1);
    return result;
}

void CalculatorTab::fillLanes() {
    const int before = std::max(m_lane->currentIndex(), 0);
    m_lane->clear();
    m_lane->addItem(tr("numbers below"));
    for (const LaneSpec& lane : m_document->plan().lanes)
        m_lane->addItem(QStringLiteral("%1 · %2").arg(QString::fromStdString(lane.name),
                                                      shortModelName(lane.model)));
    // The loaded model is what is calculated, until numbers are set by hand.
    const bool firstLanes =
        before == 0 && m_lane->count() > 1 && !QSettings().contains(key("layers"));
    m_lane->setCurrentIndex(std::min(firstLanes ? 1 : before, m_lane->count() - 1));
    if (m_lane->currentIndex() > 0) takeLane(m_lane->currentIndex() - 1);
}

void CalculatorTab::takeLane(int lane) {
    m_lane->setCurrentIndex(lane + 1);
    if (lane < 0 || lane >= m_document->laneCount()) return;
    const LaneSpec& spec = m_document->plan().lanes[static_cast<std::size_t>(lane)];
    const auto info = m_models->info(spec.model);
    if (info->state != ModelInfo::State::Ready) return;  // onModelRead comes back to it
    KvShape shape = this->shape();
    shape.nLayers = info->spec.nLayers;
    shape.nKvHeads = info->spec.nKvHeads;
    shape.headDim = info->spec.headDim;
    shape.blockTokens = spec.kvBlock;
    const auto keys = kvFormat(spec.kv);
    const auto values = spec.kvValues.empty() ? keys : kvFormat(spec.kvValues);
    if (keys) shape.keys = *keys;
    if (values) shape.values = *values;
    if (spec.context > 0) shape.contextTokens = spec.context;
    setShape(shape);
}

void CalculatorTab::onModelRead(const QString& model) {
    const int lane = m_lane->currentIndex() - 1;
    if (lane < 0 || lane >= m_document->laneCount()) return;
    if (m_document->plan().lanes[static_cast<std::size_t>(lane)].model == model.toStdString())
        takeLane(lane);
}

void CalculatorTab::setRun(profiler::RunSnapshot run) {
    // Figures of lanes come once, with the lane.
    const bool same = m_run && run && m_run->header.id == run->header.id &&
                      m_run->lanes.size() == run->lanes.size() && m_run->status == run->status;
    m_run = std::move(run);
    if (!same) recompute();
}

KvShape CalculatorTab::shape() const {
    KvShape shape;
    shape.nLayers = m_layers->value();
    shape.nKvHeads = m_heads->value();
    shape.headDim = m_dim->value();
    shape.contextTokens = m_context->value();
    shape.batch = m_batch->value();
    shape.blockTokens = m_block->value();
    shape.keys = static_cast<KvFormat>(std::max(m_keys->currentIndex(), 0));
    shape.values = static_cast<KvFormat>(std::max(m_values->currentIndex(), 0));
    return shape;
}

void CalculatorTab::setShape(const KvShape& shape) {
    m_filling = true;
    m_layers->setValue(static_cast<int>(shape.nLayers));
    m_heads->setValue(static_cast<int>(shape.nKvHeads));
    m_dim->setValue(static_cast<int>(shape.headDim));
    m_context->setValue(static_cast<int>(shape.contextTokens));
    m_batch->setValue(static_cast<int>(shape.batch));
    m_block->setValue(static_cast<int>(shape.blockTokens));
    m_keys->setCurrentIndex(static_cast<int>(shape.keys));
    m_values->setCurrentIndex(static_cast<int>(shape.values));
    m_filling = false;
    recompute();
}

QString CalculatorTab::formula() const {
    return m_formula->text();
}

void CalculatorTab::recompute() {
    const KvShape s = shape();
    const QString problem = kvProblem(s);
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    fillTable(s);
    std::vector<Fact> facts;
    const FactList add(facts);
    if (problem.isEmpty()) {
        const KvMemory m = kvMemoryOf(s);
        const auto bytes = [](double n) {
            return bytesText(static_cast<std::uint64_t>(std::llround(n)));
        };
        m_formula->setText(kvFormula(s));
        add(tr("A token in a layer"), bytes(m.bytesPerTokenPerLayer),
            tr("Keys and values, with a token's share of what scales them"));
        add(tr("A token"), bytes(m.bytesPerToken), tr("In all layers"));
        add(tr("A sequence"), tr("%1 (%2 tokens in %3 blocks of %4)")
                                  .arg(bytesText(m.bytesPerSequence))
                                  .arg(s.contextTokens)
                                  .arg(m.blocksPerSequence)
                                  .arg(s.blockTokens));
        if (m.tailBytes > 0)
            add(tr("Keys of open blocks"), bytesText(m.tailBytes),
                tr("int4 keys are coded a block at a time; until a block is whole they stay as "
                   "they are"));
        add(tr("All"),
            tr("%1 (%n sequence(s))", nullptr, static_cast<int>(s.batch)).arg(bytesText(m.total)));
        const int lane = m_lane->currentIndex() - 1;
        if (m_run != nullptr && lane >= 0)
            for (const trace::LaneRecord& record : m_run->lanes)
                if (record.index == lane && record.memory.kvBytes > 0) {
                    const auto settings = parseJson(record.settingsJson, "settings");
                    const auto context = settings && settings->is_object()
                                             ? settings->value("context", std::int64_t{0})
                                             : 0;
                    add(tr("Allocated in the last run"),
                        tr("%1 for %2 tokens").arg(bytesText(record.memory.kvBytes)).arg(context),
                        tr("What this lane's pool really took, with its own context"));
                }
    } else {
        m_formula->clear();
    }
    m_facts->setFacts(facts);
}

void CalculatorTab::fillTable(const KvShape& shape) {
    m_model->setHeaders({tr("K and V as"), tr("Bytes a token"), tr("A sequence"), tr("All"),
                         tr("Times smaller than fp32")});
    std::vector<std::vector<Cell>> rows;
    KvShape full = shape;
    full.keys = full.values = KvFormat::F32;
    const auto fullBytes = kvMemoryOf(full).bytesPerToken;
    for (int i = 0; i < kernels::kKvFormats; ++i) {
        KvShape one = shape;
        one.keys = one.values = static_cast<KvFormat>(i);
        Cell name = textCell(kvFormatLabel(i));
        name.bold = one.keys == shape.keys && one.values == shape.values;
        if (!kvProblem(one).isEmpty()) {
            name.toolTip = kvProblem(one);
            const Cell none = numberCell(QStringLiteral("–"), -1.0, kvProblem(one));
            rows.push_back({name, none, none, none, none});
            continue;
        }
        const KvMemory m = kvMemoryOf(one);
        rows.push_back(
            {name, numberCell(fixedNumber(m.bytesPerToken, 0), m.bytesPerToken),
             numberCell(bytesText(m.bytesPerSequence), static_cast<double>(m.bytesPerSequence)),
             numberCell(bytesText(m.total), static_cast<double>(m.total)),
             numberCell(fixedNumber(fullBytes / m.bytesPerToken, 2), fullBytes / m.bytesPerToken)});
    }
    m_model->setRows(std::move(rows));
    m_table->resizeColumnsToContents();
}

void CalculatorTab::remember() const {
    QSettings settings;
    const KvShape s = shape();
    for (const auto& [name, value] :
         {std::pair{"layers", s.nLayers}, std::pair{"heads", s.nKvHeads},
          std::pair{"dim", s.headDim}, std::pair{"context", s.contextTokens},
          std::pair{"batch", s.batch}, std::pair{"block", s.blockTokens},
          std::pair{"keys", static_cast<std::int64_t>(s.keys)},
          std::pair{"values", static_cast<std::int64_t>(s.values)}})
        settings.setValue(key(name), static_cast<qlonglong>(value));
}

void CalculatorTab::restore() {
    const QSettings settings;
    const KvShape s;
    const auto read = [&](const char* name, std::int64_t value) {
        return settings.value(key(name), static_cast<qlonglong>(value)).toLongLong();
    };
    if (m_lane->currentIndex() > 0 && !settings.contains(key("layers"))) return;
    KvShape shape;
    shape.nLayers = read("layers", s.nLayers);
    shape.nKvHeads = read("heads", s.nKvHeads);
    shape.headDim = read("dim", s.headDim);
    shape.contextTokens = read("context", s.contextTokens);
    shape.batch = read("batch", s.batch);
    shape.blockTokens = read("block", s.blockTokens);
    const auto format = [&](const char* name, KvFormat value) {
        return static_cast<KvFormat>(std::clamp<std::int64_t>(
            read(name, static_cast<std::int64_t>(value)), 0, kernels::kKvFormats - 1));
    };
    shape.keys = format("keys", s.keys);
    shape.values = format("values", s.values);
    setShape(shape);
}

}  // namespace lanescope::app
