#include "engine/lane/int8_products.h"

#include <initializer_list>

namespace lanescope {

namespace {

struct Elements {
    std::int64_t all = 0;
    std::int64_t block = 0;  ///< in a block format
    void add(std::initializer_list<const Weight*> weights) {
        for (const Weight* w : weights) {
            if (!w->present()) continue;
            all += w->nRows * w->nCols;
            if (kernels::info(w->dtype).blockSize > 1) block += w->nRows * w->nCols;
        }
    }
};

}  // namespace

std::vector<trace::Op> int8Products(const Model& model, bool noInt8) {
    std::vector<trace::Op> ops;
    if (noInt8) return ops;
    Elements qkv, out, gateUp, down, head;
    for (const LayerWeights& layer : model.layers()) {
        qkv.add({&layer.q, &layer.k, &layer.v});
        out.add({&layer.o});
        gateUp.add({&layer.gate, &layer.up});
        down.add({&layer.down});
    }
    head.add({&model.head()});
    const auto keep = [&ops](trace::Op op, const Elements& of) {
        if (of.block > 0 && 2 * of.block >= of.all) ops.push_back(op);
    };
    keep(trace::Op::Qkv, qkv);
    keep(trace::Op::OutProj, out);
    keep(trace::Op::GateUp, gateUp);
    keep(trace::Op::Down, down);
    keep(trace::Op::Head, head);
    return ops;
}

}  // namespace lanescope
