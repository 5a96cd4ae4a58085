// SPDX-License-Identifier: Apache-2.0

extension Dictionary {
    /// Makes room in a full table: removes the eighth of its entries with the least ranks, and those of the same rank. So as many
    /// newcomers share the cost of the scan.
    mutating func forgetEighth(by rank: (Value) -> some Comparable) {
        guard !isEmpty else { return }
        // Cannot trap: an eighth of the count is less than it.
        let limit = values.map(rank).sorted()[count / 8]
        self = filter { rank($0.value) > limit }
    }
}
