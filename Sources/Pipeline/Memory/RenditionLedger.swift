// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// How many different renditions strangers had made of each original within the last hour.
///
/// The disk keeps to its budget by itself, but whoever asks for one original in every size there is pushes everybody
/// else's pictures out of it, and keeps the decoders busy meanwhile. So each original has a cap.
///
/// It belongs to the bytes and not to the URL. `?1`, `?2`, … of one picture would have a cap each otherwise, and
/// fill the disk with renditions of the same bytes; while a URL whose picture changes by the minute would use up in an
/// hour what is meant for one picture.
///
/// A rendition counts once in its hour, whatever comes of it: what was lost meanwhile is made again without counting
/// again. What no decoder had a slot for does not count. Nobody asks here for what is on a shelf.
///
/// Memory: 16 bytes a rendition, of a million at most; and some 150 bytes an original, of 10,000 at most. That is 18 MB,
/// or twice that while arrays grow. The least recently asked-for originals are forgotten first.
struct RenditionLedger: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        /// In so many seconds there is room for one more. `isNews`: for the first time of that original in an hour.
        case refused(retryAfter: Int, isNews: Bool)
    }

    private struct Entry {
        /// The first 64 bits of a SHA-256: nobody finds two sizes of a picture that share them.
        let name: UInt64
        let time: Int64
    }

    private struct Account {
        /// The oldest first.
        var entries: [Entry] = []
        var lastAsked: Int64 = 0
        /// When its refusal was news.
        var told: Int64?

        mutating func charge(_ name: UInt64, limit: Int, now: Int64) -> Verdict {
            lastAsked = now
            let expired = entries.prefix { now - $0.time >= RenditionLedger.hour }.count
            // Cannot trap: they were counted in it.
            if expired > 0 { entries.removeFirst(expired) }
            if entries.contains(where: { $0.name == name }) { return .granted }
            guard entries.count >= limit else {
                entries.append(Entry(name: name, time: now))
                return .granted
            }
            let isNews = told.map { now - $0 >= RenditionLedger.hour } ?? true
            if isNews { told = now }
            let wait = entries[0].time + RenditionLedger.hour - now
            return .refused(retryAfter: Int((wait + 999_999) / 1_000_000), isNews: isNews)
        }
    }

    /// Microseconds, as all times here.
    fileprivate static let hour: Int64 = 3_600_000_000

    /// Renditions of an original in an hour; 0 = any number.
    let limit: Int
    private let originals: Int
    private let renditions: Int
    private var accounts: [OriginalDigest: Account] = [:]
    /// Entries of all accounts.
    private var total = 0

    init(limit: Int, originals: Int = 10_000, renditions: Int = 1_000_000) {
        self.limit = limit
        self.originals = originals
        self.renditions = renditions
    }

    /// To be asked before each making.
    mutating func charge(_ rendition: RenditionKey, to original: OriginalDigest, now: Int64) -> Verdict {
        guard limit > 0 else { return .granted }
        if accounts[original] == nil, accounts.count >= originals || total >= renditions {
            makeRoom(now)
        }
        // Out of the table, so that its entries are changed in place.
        var account = accounts.removeValue(forKey: original) ?? Account()
        total -= account.entries.count
        let verdict = account.charge(rendition.digest.words.0, limit: limit, now: now)
        total += account.entries.count
        accounts[original] = account
        return verdict
    }

    /// It came to no decoder.
    mutating func withdraw(_ rendition: RenditionKey, from original: OriginalDigest) {
        let name = rendition.digest.words.0
        guard let index = accounts[original]?.entries.lastIndex(where: { $0.name == name }) else { return }
        accounts[original]?.entries.remove(at: index)
        total -= 1
    }

    /// Whether `charge` would refuse it.
    func refuses(_ rendition: RenditionKey, of original: OriginalDigest, now: Int64) -> Bool {
        guard limit > 0, made(of: original, now: now) >= limit else { return false }
        return accounts[original]?.entries.contains { $0.name == rendition.digest.words.0 } == false
    }

    /// Counted within the last hour.
    func made(of original: OriginalDigest, now: Int64) -> Int {
        accounts[original]?.entries.count { now - $0.time < Self.hour } ?? 0
    }

    /// First the accounts of which nothing counts any more; then an eighth of them, so that the cost of a scan is
    /// shared by as many newcomers.
    private mutating func makeRoom(_ now: Int64) {
        accounts = accounts.filter { now - $0.value.lastAsked < Self.hour }
        if accounts.count > originals - originals / 8 || entries > renditions - renditions / 8 {
            let limit = accounts.values.map(\.lastAsked).sorted()[accounts.count / 8]
            accounts = accounts.filter { $0.value.lastAsked > limit }
        }
        total = entries
    }

    private var entries: Int { accounts.values.reduce(0) { $0 + $1.entries.count } }
}
