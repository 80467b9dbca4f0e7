#include "engine/trace/events.h"
#include "profiler/export/csv_row.h"
#include "profiler/export/export.h"

namespace lanescope::profiler {

namespace {

/// Empty where the number is not known.
template <class Int>
void addKnown(CsvRow& row, Int v) {
    row.raw(v < 0 ? std::string() : std::to_string(v));
}

std::string size3(const std::array<std::int32_t, 3>& size) {
    return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

}  // namespace

std::string exportDeviceCsv(const RunData& run) {
    std::string out =
        "run,kind,name,device,context,stream,start_ms,duration_us,bytes,grid,block,"
        "registers_per_thread,static_shared_bytes,dynamic_shared_bytes,theoretical_occupancy,op,"
        "layer,lane,request,step,correlation,graph_node\r\n";
    for (const auto& a : run.deviceActivities) {
        CsvRow row;
        row.text(run.header.id).text(deviceActivityKindName(a.kind)).text(nameOf(run, a));
        addKnown(row, a.device);
        addKnown(row, a.context);
        addKnown(row, a.stream);
        row.number(static_cast<double>(a.tStartNs) / 1e6);
        row.number(static_cast<double>(a.tEndNs - a.tStartNs) / 1e3).number(a.bytes);
        if (a.kind == DeviceActivityKind::Kernel) {
            row.raw(size3(a.grid)).raw(size3(a.block)).number(a.registersPerThread);
            row.number(a.staticSharedBytes).number(a.dynamicSharedBytes);
            row.raw(a.occupancy > 0.0F ? text::csvNumber(static_cast<double>(a.occupancy)) : "");
        } else {
            for (int i = 0; i < 6; ++i) row.raw("");
        }
        row.text(a.op >= 0 ? trace::opName(static_cast<trace::Op>(a.op)) : "");
        addKnown(row, a.layer);
        addKnown(row, a.lane);
        addKnown(row, a.request);
        addKnown(row, a.step);
        row.number(a.correlation).number(a.graphNode);
        out += row.end();
    }
    return out;
}

}  // namespace lanescope::profiler
