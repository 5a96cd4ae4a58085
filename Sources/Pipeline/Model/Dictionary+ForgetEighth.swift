// SPDX-License-Identifier: Apache-2.0

extension Dictionary {
    /// Makes room in a full table: removes the eighth of the entries with the lowest ranks, and all entries that share their highest
    /// rank. So the cost of one scan is shared by as many new entries.
    mutating func forgetEighth(by rank: (Value) -> some Comparable) {
        guard !isEmpty else { return }
        // Cannot trap: an eighth of the count is a valid index.
        let limit = values.map(rank).sorted()[count / 8]
        self = filter { rank($0.value) > limit }
    }
}
