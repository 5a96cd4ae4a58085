// SPDX-License-Identifier: Apache-2.0
//
//   given up ──▶ no answer came over its connection before ──▶ cut: costs one connection
//        │
//        └─────▶ some did ──▶ goes on ──the answer's end──▶ the connection stays
//                                │
//                                └──a bound──▶ cut: these answers stay in doubt (`ConnectionStep`)

/// The limits within which an abandoned transfer goes on: nobody waits for its answer any more, which is read and dropped.
///
/// In HTTP/1.1, a request can be abandoned at once only by closing its connection. Then earlier answers over the connection that
/// no silence has proved yet are forgotten, and fetching them again mostly costs more than the rest of this answer. So the rest
/// is read and dropped, as net/http and others do.
struct AbandonedTransfer {
    /// The most such transfers at once; further ones are cut.
    static let limit = 16
    /// The most bytes of the rest: more than most pictures have.
    static let bytes = 1 << 20

    /// When the transfer is cut.
    let until: Ticks
    private var left = bytes

    /// - Parameter time: how many microseconds the rest may take.
    init(since now: Ticks, for time: Ticks) { until = now + time }

    /// True if so many bytes are within the limit.
    func fits(_ count: Int) -> Bool { count <= left }

    /// Counts the next bytes. False if they exceed the limit.
    mutating func take(_ count: Int) -> Bool {
        guard fits(count) else { return false }
        left -= count
        return true
    }
}
