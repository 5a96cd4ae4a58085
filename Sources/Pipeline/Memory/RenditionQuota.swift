// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Bytes
internal import HTTPSemantics
internal import Recipes

/// The different renditions that strangers had made of each original within the last hour.
///
/// The disk keeps to its budget by itself. But a client that asks for one original in every size there is pushes everybody
/// else's pictures out of it, and keeps the decoders busy meanwhile. So each original has a cap.
///
/// The cap belongs to the bytes and not to the URL. `?1`, `?2`, … of one picture would have a cap each otherwise, and fill
/// the disk with renditions of the same bytes; and a URL whose picture changes by the minute would use up in an hour the cap
/// of one picture.
///
/// A rendition counts once in its hour, for the client that asked first, also if it fails. A lost rendition is made again
/// without counting again. A rendition that found no decoder's slot does not count, nor does one that is on a cache.
///
/// One client may have three quarters of a picture's cap, so that no stranger spends it for all. When the cap is spent, a
/// client that has had few of this picture (a twentieth of the cap) is still given more, until the picture has had twice its
/// cap. A network of addresses gets no further than that.
///
/// Memory: 24 bytes a rendition, of a million at most; and some 150 bytes an original, of 10,000 at most. That is 26 MB,
/// or twice that while arrays grow. The least recently asked-for originals are forgotten first.
struct RenditionQuota: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        /// In so many seconds there is room for one more. `isNews`: for the first time of that original in an hour.
        case refused(retryAfter: Int, isNews: Bool)
    }

    private struct Entry {
        /// The first 64 bits of a SHA-256: nobody finds two sizes of a picture that share them.
        let name: UInt64
        let time: Int64
        /// Whose request it was first, as a hash that depends on a secret of the process.
        let client: Int
    }

    private struct Account {
        /// The oldest first.
        var entries: [Entry] = []
        var lastAsked: Int64 = 0
        /// When its refusal was news.
        var told: Int64?

        mutating func charge(_ name: UInt64, by client: Int, limit: Int, now: Int64) -> Verdict {
            lastAsked = now
            let expired = entries.prefix { now - $0.time >= RenditionQuota.hour }.count
            // Cannot trap: they were counted in it.
            if expired > 0 { entries.removeFirst(expired) }
            if entries.contains(where: { $0.name == name }) { return .granted }
            guard let wait = wait(of: client, limit: limit, now: now) else {
                entries.append(Entry(name: name, time: now, client: client))
                return .granted
            }
            let isNews = told.map { now - $0 >= RenditionQuota.hour } ?? true
            if isNews { told = now }
            return .refused(retryAfter: RenditionQuota.seconds(wait), isNews: isNews)
        }

        /// Microseconds until there is room for one more of that client's; nil: now.
        func wait(of client: Int, limit: Int, now: Int64) -> Int64? {
            let current = entries.drop { now - $0.time >= RenditionQuota.hour }
            let own = current.lazy.filter { $0.client == client }
            let held = own.count
            let first: Entry?
            if held >= RenditionQuota.share(of: limit) {
                first = own.first
            } else if current.count < limit
                || held < RenditionQuota.few(of: limit) && current.count / 2 < limit
            {
                return nil
            } else {
                first = current.first
            }
            return first.map { $0.time + RenditionQuota.hour - now }
        }
    }

    /// The part of a cap that one client may have.
    private static func share(of limit: Int) -> Int { (3 * limit + 3) / 4 }
    /// Renditions that a client may have had and still be given more when the cap is spent.
    private static func few(of limit: Int) -> Int { max(1, limit / 20) }

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
    mutating func charge(
        _ rendition: RenditionKey, to original: OriginalDigest, by client: ClientKey? = nil, now: Int64
    ) -> Verdict {
        guard limit > 0 else { return .granted }
        if accounts[original] == nil, accounts.count >= originals || total >= renditions {
            makeRoom(now)
        }
        // Out of the table, so that its entries are changed in place.
        var account = accounts.removeValue(forKey: original) ?? Account()
        total -= account.entries.count
        let verdict = account.charge(
            rendition.digest.words.0, by: client.hashValue, limit: limit, now: now)
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

    /// The verdict that `charge` would give, as seconds until there is room for one more; nil: granted.
    func wait(
        for rendition: RenditionKey, of original: OriginalDigest, by client: ClientKey?, now: Int64
    ) -> Int? {
        guard limit > 0, let account = accounts[original] else { return nil }
        let name = rendition.digest.words.0
        guard !account.entries.contains(where: { $0.name == name && now - $0.time < Self.hour }) else {
            return nil
        }
        return account.wait(of: client.hashValue, limit: limit, now: now).map(Self.seconds)
    }

    /// Rounded up.
    private static func seconds(_ microseconds: Int64) -> Int { Int((microseconds + 999_999) / 1_000_000) }

    /// Whether `charge` would refuse that client some rendition.
    func mayRefuse(_ client: ClientKey?, of original: OriginalDigest, now: Int64) -> Bool {
        limit > 0 && accounts[original]?.wait(of: client.hashValue, limit: limit, now: now) != nil
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
