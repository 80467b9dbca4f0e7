#pragma once
// Text to tokens as the model sees them. Cut on a pool thread a moment after typing stops.

#include <QTimer>
#include <QWidget>
#include <memory>

#include "app/bridge/latest_task.h"
#include "app/models/tokenized_text.h"

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace lanescope::app {

class ElidedLabel;
class TokenChips;

class TokenizerView : public QWidget {
    Q_OBJECT
  public:
    explicit TokenizerView(QWidget* parent = nullptr);
    /// Null: why says what is wrong instead.
    void setTokenizer(std::shared_ptr<const Tokenizer> tokenizer, const QString& why);

    [[nodiscard]] QPlainTextEdit* text() const { return m_text; }
    [[nodiscard]] QCheckBox* specialBox() const { return m_special; }
    [[nodiscard]] QCheckBox* bosBox() const { return m_bos; }
    [[nodiscard]] TokenChips* chips() const { return m_chips; }
    [[nodiscard]] const TokenizedText& result() const { return m_result; }
    [[nodiscard]] QString countsText() const;
    [[nodiscard]] QString roundTripText() const;
    [[nodiscard]] bool busy() const { return m_typing.isActive() || m_task.busy(); }

  public slots:
    void copyIds();

  private:
    void start();
    void show(TokenizedText result);
    void showCurrent(int index);

    LatestTask<TokenizedText> m_task;
    QTimer m_typing;
    std::shared_ptr<const Tokenizer> m_tokenizer;
    TokenizedText m_result;
    QPlainTextEdit* m_text;
    QCheckBox* m_special;
    QCheckBox* m_bos;
    QToolButton* m_copy;
    QLabel* m_counts;
    QLabel* m_roundTrip;
    TokenChips* m_chips;
    ElidedLabel* m_detail;
};

}  // namespace lanescope::app
