#include "app/views/kernels/op_rows.h"

#include <QCoreApplication>

#include "app/models/number_text.h"

namespace lanescope::app {

namespace {

constexpr int kOpsALane = 1000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(OpRows)
};

}  // namespace

int opRowId(int lane, trace::Op op) {
    return lane * kOpsALane + static_cast<int>(op);
}
int laneOfRow(int id) {
    return id / kOpsALane;
}
int opOfRow(int id) {
    return id % kOpsALane;
}

QString limitText(profiler::Limit limit) {
    switch (limit) {
        case profiler::Limit::Memory:
            return Words::tr("Memory");
        case profiler::Limit::Arithmetic:
            return Words::tr("Arithmetic");
        case profiler::Limit::Unknown:
            break;
    }
    return {};
}

QString ofRoofText(const profiler::RooflinePoint& point) {
    if (point.limit == profiler::Limit::Unknown) return QStringLiteral("–");
    const double percent = 100.0 * point.ofRoof;
    return fixedNumber(percent, percent < 9.95 ? 1 : 0) + QStringLiteral(" %");
}

QString roofMissingText() {
    return Words::tr("The roof of the machine was not measured with this run.");
}

}  // namespace lanescope::app
