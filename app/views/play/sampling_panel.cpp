#include "app/views/play/sampling_panel.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {

/// Stop strings are typed with \n for a newline, separated by "|".
QString stopText(const std::vector<std::string>& stop) {
    QStringList parts;
    for (const auto& s : stop)
        parts << QString::fromStdString(s).replace(u'\n', QStringLiteral("\\n"));
    return parts.join(QLatin1Char('|'));
}

std::vector<std::string> parseStop(const QString& text) {
    std::vector<std::string> stop;
    for (QString part : text.split(QLatin1Char('|'), Qt::SkipEmptyParts))
        stop.push_back(part.replace(QStringLiteral("\\n"), QStringLiteral("\n")).toStdString());
    return stop;
}

QDoubleSpinBox* fraction(QWidget* parent, double min, double max, double step) {
    auto* box = new QDoubleSpinBox(parent);
    box->setLocale(QLocale::c());
    box->setRange(min, max);
    box->setSingleStep(step);
    box->setDecimals(2);
    return box;
}

}  // namespace

SamplingPanel::SamplingPanel(QWidget* parent)
    : QFrame(parent),
      m_topK(new QSpinBox(this)),
      m_topP(fraction(this, 0.0, 1.0, 0.05)),
      m_minP(fraction(this, 0.0, 1.0, 0.01)),
      m_repeatPenalty(fraction(this, 0.5, 3.0, 0.05)),
      m_repeatWindow(new QSpinBox(this)),
      m_stop(new QLineEdit(this)),
      m_ignoreEos(new QCheckBox(tr("Go on after the end token"), this)),
      m_repetitions(new QSpinBox(this)),
      m_warmup(new QSpinBox(this)) {
    setMinimumWidth(360);
    m_topK->setRange(0, 100000);
    m_topK->setSpecialValueText(tr("off"));
    m_repeatWindow->setRange(0, 4096);
    m_repeatWindow->setSuffix(tr(" tokens"));
    m_repetitions->setRange(1, 100);
    m_warmup->setRange(0, 10);
    m_stop->setPlaceholderText(tr("several: separate with |, newline: \\n"));
    m_topK->setToolTip(tr("Keep the k most probable tokens"));
    m_topP->setToolTip(tr("Keep the smallest set of tokens with this probability (1: off)"));
    m_minP->setToolTip(tr("Drop tokens less probable than this share of the best one (0: off)"));
    m_repeatPenalty->setToolTip(tr("Divide the score of recent tokens by this (1: off)"));
    m_repetitions->setToolTip(tr("Timed runs of every prompt; two or more give a noise estimate"));
    m_warmup->setToolTip(tr("Runs before the timed ones, left out of the figures"));

    auto* form = new QFormLayout(this);
    form->setContentsMargins(kSpaceL, kSpaceL, kSpaceL, kSpaceL);
    form->setSpacing(kSpace);
    form->addRow(tr("Top-&k"), m_topK);
    form->addRow(tr("Top-&p"), m_topP);
    form->addRow(tr("&Min-p"), m_minP);
    form->addRow(tr("&Repeat penalty"), m_repeatPenalty);
    form->addRow(tr("Penalty &window"), m_repeatWindow);
    form->addRow(tr("&Stop strings"), m_stop);
    form->addRow(QString(), m_ignoreEos);
    form->addRow(tr("Repe&titions"), m_repetitions);
    form->addRow(tr("Warm-&up runs"), m_warmup);

    for (QSpinBox* box : {m_topK, m_repeatWindow, m_repetitions, m_warmup})
        connect(box, &QSpinBox::valueChanged, this, &SamplingPanel::changed);
    for (QDoubleSpinBox* box : {m_topP, m_minP, m_repeatPenalty})
        connect(box, &QDoubleSpinBox::valueChanged, this, &SamplingPanel::changed);
    connect(m_stop, &QLineEdit::textChanged, this, &SamplingPanel::changed);
    connect(m_ignoreEos, &QCheckBox::toggled, this, &SamplingPanel::changed);
}

void SamplingPanel::setValues(const SamplingSpec& sampling, int warmup, int repetitions) {
    const QSignalBlocker blocker(this);
    const auto& s = sampling.settings;
    m_topK->setValue(s.topK);
    m_topP->setValue(static_cast<double>(s.topP));
    m_minP->setValue(static_cast<double>(s.minP));
    m_repeatPenalty->setValue(static_cast<double>(s.repeatPenalty));
    m_repeatWindow->setValue(s.repeatWindow);
    m_stop->setText(stopText(sampling.stop));
    m_ignoreEos->setChecked(sampling.ignoreEos);
    m_warmup->setValue(warmup);
    m_repetitions->setValue(repetitions);
}

void SamplingPanel::apply(SamplingSpec& sampling) const {
    auto& s = sampling.settings;
    s.topK = m_topK->value();
    s.topP = static_cast<float>(m_topP->value());
    s.minP = static_cast<float>(m_minP->value());
    s.repeatPenalty = static_cast<float>(m_repeatPenalty->value());
    s.repeatWindow = m_repeatWindow->value();
    sampling.stop = parseStop(m_stop->text());
    sampling.ignoreEos = m_ignoreEos->isChecked();
}

int SamplingPanel::warmup() const {
    return m_warmup->value();
}
int SamplingPanel::repetitions() const {
    return m_repetitions->value();
}

int SamplingPanel::activeCount() const {
    const bool set[] = {m_topK->value() > 0,       m_topP->value() < 1.0,
                        m_minP->value() > 0.0,     m_repeatPenalty->value() != 1.0,
                        !m_stop->text().isEmpty(), m_ignoreEos->isChecked(),
                        m_repetitions->value() > 1};
    int count = 0;
    for (bool on : set) count += on ? 1 : 0;
    return count;
}

}  // namespace lanescope::app
