// SPDX-License-Identifier: Apache-2.0

/// One thing that a process takes from itself.
struct SandboxMeasure {
    enum Kind {
        /// Stands in every mode: manners rather than safety, and what the daemon itself relies on.
        case manners
        /// Not put up where the jail is off, and missed nowhere: not every kernel or container permits it, and other
        /// measures stand behind it.
        case optional
        /// Not put up where the jail is off; `require` insists on it.
        case required
    }

    let name: String
    let kind: Kind
    /// False: the kernel refused.
    let put: () -> Bool

    init(_ name: String, _ kind: Kind, _ put: @escaping () -> Bool) {
        self.name = name
        self.kind = kind
        self.put = put
    }
}

extension JailReport {
    /// Puts up the measures of one list, in its order.
    init(_ measures: [SandboxMeasure], mode: JailPolicy.Mode) {
        self.init()
        for measure in measures where mode != .off || measure.kind == .manners {
            if measure.put() {
                holds.append(measure.name)
            } else {
                missing.append(measure.name)
                if measure.kind == .required { lacking.append(measure.name) }
            }
        }
    }
}
