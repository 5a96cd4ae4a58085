// SPDX-License-Identifier: Apache-2.0

extension Recipe {
    /// Browsers show what asks for 10 ms or less for this long, because the first ones could not do better and files
    /// rely on it. Said in full, so that all of them and both formats agree.
    private static let usualDelay = 100
    private static let ignoredDelay = 10

    /// Milliseconds of each frame that is taken, in the recipe's words where it has some: the last delay it names holds for
    /// the frames after it.
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
