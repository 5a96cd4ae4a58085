// SPDX-License-Identifier: Apache-2.0

/// One thing that a process takes from itself.
struct Wall {
    enum Kind {
        /// Stands in every mode: manners rather than safety, and what the daemon itself relies on.
        case manners
        /// Not put up where the jail is off, and missed nowhere: not every kernel or container permits it, and other
        /// walls stand behind it.
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
    /// Puts up the walls of one list, in its order.
    init(_ walls: [Wall], mode: JailPolicy.Mode) {
        self.init()
        for wall in walls where mode != .off || wall.kind == .manners {
            if wall.put() {
                holds.append(wall.name)
            } else {
                missing.append(wall.name)
                if wall.kind == .required { lacking.append(wall.name) }
            }
        }
    }
}
