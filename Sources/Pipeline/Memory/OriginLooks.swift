// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// Statistics of looks into the shared store for each origin: whether looks for renditions of its new pictures find
/// anything, and how long a fetch from the origin itself takes.
///
/// Each origin has its own odds, so that an origin with a token in each URL neither costs the others their looks nor brings them
/// back. A new origin begins with the odds of the origins that were new before it.
struct OriginLooks: Sendable {
    /// Origins remembered, some 100 KB. The eighth whose last use is longest ago makes room.
    static let capacity = 1_024

    private struct Record: Sendable {
        var odds: LookOdds
        /// Looks for renditions, counted up to the number from which the origin's odds are its own.
        var looks = 0
        /// Mean microseconds of recent fetches; 0 before the first.
        var fetch = MovingMean()
        /// The longest time in microseconds after which a fetch was given up since the last answered one.
        var givenUp: Int64 = 0
        var lastUse: UInt64
    }

    private var records: [SourceOrigin: Record] = [:]
    /// The odds from the first looks at each origin, which new origins begin with.
    private var novice = LookOdds()
    private var uses: UInt64 = 0

    /// The number of origins remembered.
    var count: Int { records.count }

    /// True if a look for a rendition of a new picture of this origin must be made; `learn` must follow then.
    mutating func isDue(_ origin: SourceOrigin) -> Bool {
        use(origin) { $0.odds.isDue() }
    }

    mutating func learn(hasFound: Bool, of origin: SourceOrigin) {
        let isNovice = use(origin) { record in
            record.odds.learn(hasFound: hasFound)
            record.looks = min(record.looks + 1, LookOdds.patience)
            return record.looks < LookOdds.patience
        }
        if isNovice { novice.learn(hasFound: hasFound) }
    }

    /// - Parameter microseconds: from the request to the last byte.
    mutating func learn(fetch microseconds: Int64, from origin: SourceOrigin) {
        use(origin) { record in
            record.fetch.add(max(1, microseconds))
            record.givenUp = 0
        }
    }

    /// Learns from a fetch that was given up, and so would have taken longer.
    /// - Parameter microseconds: from the request to its end.
    mutating func learn(givenUpAfter microseconds: Int64, from origin: SourceOrigin) {
        use(origin) { record in
            record.givenUp = max(record.givenUp, microseconds)
        }
    }

    /// Microseconds that a fetch has lately taken at least; nil if nothing is known.
    func fetch(from origin: SourceOrigin) -> Int64? {
        guard let record = records[origin] else { return nil }
        let longest = max(record.fetch.value, record.givenUp)
        return longest > 0 ? longest : nil
    }

    private mutating func use<Result>(_ origin: SourceOrigin, _ work: (inout Record) -> Result) -> Result {
        uses += 1
        if records[origin] == nil, records.count >= Self.capacity { records.forgetEighth(by: \.lastUse) }
        var record = records[origin] ?? Record(odds: novice, lastUse: uses)
        record.lastUse = uses
        defer { records[origin] = record }
        return work(&record)
    }
}
