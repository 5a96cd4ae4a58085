// SPDX-License-Identifier: Apache-2.0
//
//   given up ──▶ no answer came over its connection before ──▶ cut: costs one connection
//        │
//        └─────▶ some did ──▶ goes on ──the answer's end──▶ the connection stays
//                                │
//                                └──a bound──▶ cut: these answers stay in doubt (`ConnectionStep`)

/// The bounds within which a transfer goes on that nobody waits for: its answer is read and dropped.
///
/// A request that was sent cannot be taken back in HTTP/1.1, so to give it up is to close its connection. Earlier answers over
/// it that no silence has proved yet are forgotten then, and to fetch those anew mostly costs more than the rest of this one.
/// So the rest is read, and dropped, as net/http and others read the rest of a body that nobody wants.
struct AbandonedTransfer {
    /// Such transfers at once. Further fetches that are given up are cut.
    static let limit = 16
    /// Bytes of the rest: more than most pictures have.
    static let bytes = 1 << 20

    /// When it is cut.
    let until: Ticks
    private var left = bytes

    /// - Parameter time: microseconds for the rest.
    init(since now: Ticks, for time: Ticks) { until = now + time }

    /// False if so many bytes are too many.
    func fits(_ count: Int) -> Bool { count <= left }

    /// Takes the next bytes. False if they are too many.
    mutating func take(_ count: Int) -> Bool {
        guard fits(count) else { return false }
        left -= count
        return true
    }
}
