// SPDX-License-Identifier: Apache-2.0

/// The part of a file system that must stay free for others.
package enum ReservedSpace: Sendable, Hashable {
    case bytes(Int)
    /// Percent of the file system's size.
    case percent(Int)

    func bytes(of size: Int) -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let percent): size / 100 * percent
        }
    }

    /// Inodes that must stay free: the same fraction as of the bytes, because free bytes are useless without inodes.
    func files(of count: Int, size: Int) -> Int {
        switch self {
        // Cannot trap: the result is at most the number of inodes, which is at most 2⁴⁸.
        case .bytes(let bytes): size > 0 ? Int(Double(count) * min(1, Double(bytes) / Double(size))) : 0
        case .percent(let percent): count / 100 * percent + count % 100 * percent / 100
        }
    }
}
