// SPDX-License-Identifier: Apache-2.0

/// How many requests are sent, and when. Times are microseconds since the start, passed in.
package struct BenchPlan: Sendable {
    /// A sentence about an option that is out of its range.
    package struct Mistake: Error, CustomStringConvertible { package let description: String }

    /// The most requests; nil for as many as the time allows.
    package let count: Int?
    package let connections: Int
    /// Microseconds after which no request begins.
    package let duration: Int64?
    /// Requests per second; nil if each connection sends the next request as soon as it has an answer.
    package let rate: Double?
    /// Requests begun so far.
    package private(set) var begun = 0

    /// Without a count and a duration, the plan has 1000 requests.
    /// - Parameter duration: in seconds.
    package init(count: Int?, connections: Int, duration: Double?, rate: Double?) throws(Mistake) {
        try Self.check(count.map(Double.init), 1...10_000_000, "--count")
        try Self.check(Double(connections), 1...1_000, "--connections")
        try Self.check(duration, 0.1...3_600, "--duration")
        try Self.check(rate, 0.1...1_000_000, "--rate")
        self.count = count ?? (duration == nil ? 1_000 : nil)
        self.connections = connections
        self.duration = duration.map { Int64(clamping: Int(exactly: ($0 * 1e6).rounded()) ?? 0) }
        self.rate = rate
    }

    private static func check(
        _ value: Double?, _ range: ClosedRange<Double>, _ name: String
    ) throws(Mistake) {
        guard let value, !range.contains(value) else { return }
        let (low, high) = (Quantity.number(range.lowerBound), Quantity.number(range.upperBound))
        throw Mistake(description: "\(name) must be from \(low) to \(high).")
    }

    /// When the next request should begin; nil if there are no more requests.
    /// - Parameter now: the present time, at which the next request of a plan without a rate begins.
    package func next(_ now: Int64) -> Int64? {
        if let count, begun >= count { return nil }
        let intended = rate.map { Int64(exactly: (Double(begun) * 1e6 / $0).rounded()) ?? .max } ?? now
        if let duration, intended >= duration || now >= duration { return nil }
        return intended
    }

    /// Counts a request that begins.
    package mutating func begin() { begun += 1 }
}
