// SPDX-License-Identifier: Apache-2.0

/// One restriction that a process places on itself.
struct SandboxMeasure {
    enum Kind {
        /// Applied in every mode, because it keeps the process from burdening others, and the daemon relies
        /// on it.
        case manners
        /// Not applied with the jail off, and never reported as missing: the packaged unit and most containers
        /// forbid it, and other measures cover the same.
        case optional
        /// Not applied with the jail off; `require` insists on it.
        case required
    }

    let name: String
    let kind: Kind
    /// Applies the measure; false if the kernel refuses.
    let put: () -> Bool

    init(_ name: String, _ kind: Kind, _ put: @escaping () -> Bool) {
        self.name = name
        self.kind = kind
        self.put = put
    }
}

extension JailReport {
    /// Applies the measures of one list, in its order.
    init(_ measures: [SandboxMeasure], mode: JailPolicy.Mode) {
        self.init()
        for measure in measures where mode != .off || measure.kind == .manners {
            if measure.put() {
                holds.append(measure.name)
            } else if measure.kind != .optional {
                missing.append(measure.name)
                if measure.kind == .required { lacking.append(measure.name) }
            }
        }
    }
}
