#include "app/widgets/type_bars.h"

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/bar_list.h"

namespace lanescope::app {

void showTypes(BarList* list, const std::vector<TypeTotal>& types, std::uint64_t totalBytes) {
    std::vector<BarRow> rows;
    const double most = types.empty() ? 1.0 : static_cast<double>(types.front().bytes);
    for (const TypeTotal& total : types) {
        BarRow row;
        row.label = total.type;
        const double share = totalBytes > 0 ? static_cast<double>(total.bytes) * 100.0 /
                                                  static_cast<double>(totalBytes)
                                            : 0.0;
        row.value = BarList::tr("%1 · %2 % · %n tensor(s)", nullptr, total.nTensors)
                        .arg(bytesText(total.bytes), fixedNumber(share, 1));
        row.fraction = most > 0 ? static_cast<double>(total.bytes) / most : 0.0;
        row.color = themeColors().accent;
        row.toolTip = BarList::tr("%1 elements").arg(total.nElements);
        rows.push_back(std::move(row));
    }
    list->setRows(std::move(rows), 0.12, true);
}

}  // namespace lanescope::app
