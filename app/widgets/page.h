#pragma once
// Base of everything the rail can open: a page has a title and an empty state that is shown while
// it has nothing to show.

#include <QWidget>

class QLabel;
class QStackedLayout;

namespace lanescope::app {

class Page : public QWidget {
    Q_OBJECT
  public:
    explicit Page(QWidget* parent = nullptr);

    /// What fills the page. Takes ownership.
    void setContent(QWidget* content);
    /// Shows the sentence instead of the content; an empty one shows the content again.
    void setEmptyText(const QString& text);
    [[nodiscard]] bool showsContent() const;

  private:
    QStackedLayout* m_stack;
    QLabel* m_empty;
    QWidget* m_content = nullptr;
};

}  // namespace lanescope::app
