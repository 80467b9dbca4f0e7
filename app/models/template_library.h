#pragma once
// Well-known chat templates to choose from where a checkpoint has none (resources/templates).

#include <QString>
#include <string>
#include <vector>

namespace lanescope::app {

struct BuiltInTemplate {
    QString key;   ///< file name without ending: "chatml"
    QString name;  ///< as the field calls it: "ChatML"
    std::string source;
};

/// Read once, in a fixed order.
const std::vector<BuiltInTemplate>& builtInTemplates();
/// The built-in template with exactly this text; null: none.
const BuiltInTemplate* findBuiltIn(const std::string& source);
/// What a lane's template is called: "ChatML", "edited"; empty for the model's own.
QString templateTitle(const std::string& source);

}  // namespace lanescope::app
