#include "app/widgets/page.h"

#include <QLabel>
#include <QStackedLayout>

#include "app/theme/theme.h"

namespace lanescope::app {

Page::Page(QWidget* parent)
    : QWidget(parent), m_stack(new QStackedLayout(this)), m_empty(new QLabel(this)) {
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(kSpaceXl);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_empty);
}

void Page::setContent(QWidget* content) {
    m_content = content;
    m_stack->addWidget(content);
    m_stack->setCurrentWidget(content);
}

void Page::setEmptyText(const QString& text) {
    m_empty->setText(text);
    m_stack->setCurrentWidget(text.isEmpty() && m_content != nullptr ? m_content : m_empty);
}

bool Page::showsContent() const {
    return m_stack->currentWidget() == m_content;
}

}  // namespace lanescope::app
