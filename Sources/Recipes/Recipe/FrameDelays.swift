// SPDX-License-Identifier: Apache-2.0

extension Recipe {
    /// Browsers show a frame with a delay of 10 ms or less for this many milliseconds, because the first browsers
    /// could not do better and files rely on it. The delay is written explicitly, so that all browsers and both
    /// formats agree.
    private static let usualDelay = 100
    private static let ignoredDelay = 10

    /// The delays in milliseconds of the frames that are taken. The recipe's delays take precedence, and its last one holds
    /// for all further frames.
    /// - Parameter own: the delays of all the original's frames.
    package func delays(of count: Int, from own: [Int]) -> [Int] {
        let first = max(0, page)
        return (0..<max(0, count)).map { index in
            if !delays.isEmpty { return delays[min(index, delays.count - 1)] }
            let delay = first + index < own.count ? own[first + index] : 0
            return delay <= Self.ignoredDelay ? Self.usualDelay : delay
        }
    }
}
