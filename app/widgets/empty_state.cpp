#include "app/widgets/empty_state.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/theme/theme.h"

namespace lanescope::app {

EmptyState::EmptyState(const QString& text, QWidget* parent)
    : QWidget(parent), m_text(new QLabel(text)), m_button(new QPushButton) {
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    auto* middle = new QWidget;
    middle->setMaximumWidth(600);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpaceL);
    column->addWidget(m_text);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(middle, 8);
    row->addStretch(1);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(kSpaceXl, kSpaceXl, kSpaceXl, kSpaceXl);
    all->addStretch(2);
    all->addLayout(row);
    all->addStretch(3);
}

}  // namespace lanescope::app
