#include "app/widgets/policy_words.h"

#include <QCoreApplication>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(ServingPolicy)
};
}  // namespace

QString policyName(BatchPolicy policy) {
    switch (policy) {
        case BatchPolicy::Continuous:
            return Words::tr("Continuous");
        case BatchPolicy::Static:
            return Words::tr("Static");
        case BatchPolicy::Sequential:
            return Words::tr("Sequential");
    }
    return {};
}

QString policyTip(BatchPolicy policy) {
    switch (policy) {
        case BatchPolicy::Continuous:
            return Words::tr(
                "Requests join and leave at every pass; prompts are computed in pieces beside "
                "the others' decoding (arXiv 2308.16369)");
        case BatchPolicy::Static:
            return Words::tr(
                "A batch is filled while nothing runs and then runs to its last request's end");
        case BatchPolicy::Sequential:
            return Words::tr("One request at a time");
    }
    return {};
}

QColor policyColor(BatchPolicy policy) {
    switch (policy) {
        case BatchPolicy::Continuous:
            return laneColor(2);
        case BatchPolicy::Static:
            return laneColor(1);
        case BatchPolicy::Sequential:
            return laneColor(3);
    }
    return laneColor(-1);
}

QString policyStateText(const PolicyRun& policy) {
    switch (policy.state) {
        case PolicyState::Waiting:
            return Words::tr("waiting");
        case PolicyState::Running:
            return Words::tr("running");
        case PolicyState::Finished:
            return Words::tr("done");
        case PolicyState::Cancelled:
            return Words::tr("stopped");
        case PolicyState::Failed:
            return Words::tr("failed");
    }
    return {};
}

}  // namespace lanescope::app
