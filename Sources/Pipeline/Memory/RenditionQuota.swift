// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Clients
internal import HTTPSemantics
internal import Recipes

/// A sliding-window quota: the different renditions of each original that strangers had made within the last
/// hour.
///
/// The disk cache keeps its size by itself. But a client that asks for one original in every possible size would evict everybody
/// else's pictures, and keep the decoders busy. So each original has a quota.
///
/// The quota belongs to the bytes and not to the URL. Otherwise `?1`, `?2`, … of one picture would each have a
/// quota, and fill the disk with renditions of the same bytes; and a URL whose picture changes every minute
/// would use up one quota for all its pictures.
///
/// A rendition counts once in its hour, for the client that asked first, also if it fails. A rendition that was lost is made again
/// without counting again. A rendition that got no decoder permit does not count, nor does a cached one. One that was made counts,
/// even if other requests for it were refused.
///
/// One client may use three quarters of a picture's quota, so that no stranger uses all of it. Once the quota is spent, a client with
/// few renditions of this picture (a twentieth of the quota) still gets more, until the picture has twice its quota, so that a
/// network of many addresses gets no further.
///
/// Memory: 24 bytes a rendition, for a million at most; and some 150 bytes an original, for 10,000 at most.
/// That is 26 MB, or twice that while arrays grow. The least recently used originals are forgotten first.
struct RenditionQuota: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        /// The next rendition may be made in `retryAfter` seconds. `isNews` is true for the first refusal for that original in an
        /// hour.
        case refused(retryAfter: Int, isNews: Bool)
    }

    private struct Entry {
        /// The first 64 bits of the key's SHA-256. Nobody finds two sizes of a picture for which these bits are equal.
        let name: UInt64
        let time: Int64
        /// The client that asked first, as half of a hash seeded with a secret of the process.
        let client: UInt32
        /// Requests that were granted this rendition and have not withdrawn.
        var claims: UInt32 = 1
    }

    private struct Account {
        /// Oldest first.
        var entries: [Entry] = []
        var lastAsked: Int64 = 0
        /// When a refusal was last reported as news.
        var reported: Int64?

        mutating func charge(_ name: UInt64, by client: UInt32, limit: Int, now: Int64) -> Verdict {
            lastAsked = now
            let expired = entries.prefix { now - $0.time >= RenditionQuota.hour }.count
            // Cannot trap: the expired entries were counted in this array.
            if expired > 0 { entries.removeFirst(expired) }
            if let index = entries.firstIndex(where: { $0.name == name }) {
                if entries[index].claims < .max { entries[index].claims += 1 }
                return .granted
            }
            guard let wait = wait(of: client, limit: limit, now: now) else {
                entries.append(Entry(name: name, time: now, client: client))
                return .granted
            }
            let isNews = reported.map { now - $0 >= RenditionQuota.hour } ?? true
            if isNews { reported = now }
            return .refused(retryAfter: wait.secondsAhead, isNews: isNews)
        }

        mutating func withdraw(_ name: UInt64) {
            guard let index = entries.lastIndex(where: { $0.name == name }) else { return }
            if entries[index].claims > 1 {
                entries[index].claims -= 1
            } else {
                entries.remove(at: index)
            }
        }

        /// Microseconds until this client may have one more rendition; nil if it may now.
        func wait(of client: UInt32, limit: Int, now: Int64) -> Int64? {
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

    /// Renditions of one quota that a single client may have.
    private static func share(of limit: Int) -> Int { (3 * limit + 3) / 4 }
    /// Renditions up to which a client still gets more after the quota is spent.
    private static func few(of limit: Int) -> Int { max(1, limit / 20) }

    /// Microseconds, as all times here.
    fileprivate static let hour: Int64 = 3_600_000_000

    /// Renditions of an original in an hour; 0 = any number.
    var limit: Int
    private let originals: Int
    private let renditions: Int
    private var accounts: [OriginalDigest: Account] = [:]
    /// The number of entries of all accounts.
    private var total = 0

    init(limit: Int, originals: Int = 10_000, renditions: Int = 1_000_000) {
        self.limit = limit
        self.originals = originals
        self.renditions = renditions
    }

    /// Counts a rendition. Must be called before each is made.
    mutating func charge(
        _ rendition: RenditionKey, to original: OriginalDigest, by client: ClientKey? = nil, now: Int64
    ) -> Verdict {
        guard limit > 0 else { return .granted }
        if accounts[original] == nil, accounts.count >= originals || total >= renditions {
            makeRoom(now)
        }
        // Taken out of the table, because an array that is referenced once is changed in place.
        var account = accounts.removeValue(forKey: original) ?? Account()
        total -= account.entries.count
        let verdict = account.charge(
            rendition.digest.words.0, by: Self.half(client), limit: limit, now: now)
        total += account.entries.count
        accounts[original] = account
        return verdict
    }

    /// Takes back a charge that was granted but led to no decoder. The rendition still counts if it was made before, or may yet be
    /// made for another request.
    mutating func withdraw(_ rendition: RenditionKey, from original: OriginalDigest) {
        // Taken out of the table as above.
        guard var account = accounts.removeValue(forKey: original) else { return }
        total -= account.entries.count
        account.withdraw(rendition.digest.words.0)
        total += account.entries.count
        accounts[original] = account
    }

    private static func half(_ client: ClientKey?) -> UInt32 { UInt32(truncatingIfNeeded: client.hashValue) }

    /// Seconds until `charge` would grant this rendition; nil if it would now.
    func wait(
        for rendition: RenditionKey, of original: OriginalDigest, by client: ClientKey?, now: Int64
    ) -> Int? {
        guard limit > 0, let account = accounts[original] else { return nil }
        let name = rendition.digest.words.0
        guard !account.entries.contains(where: { $0.name == name && now - $0.time < Self.hour }) else {
            return nil
        }
        return account.wait(of: Self.half(client), limit: limit, now: now).map(\.secondsAhead)
    }

    /// True if `charge` would refuse this client a rendition that has not been counted.
    func mayRefuse(_ client: ClientKey?, of original: OriginalDigest, now: Int64) -> Bool {
        limit > 0 && accounts[original]?.wait(of: Self.half(client), limit: limit, now: now) != nil
    }

    /// Renditions counted within the last hour.
    func made(of original: OriginalDigest, now: Int64) -> Int {
        accounts[original]?.entries.count { now - $0.time < Self.hour } ?? 0
    }

    /// Removes accounts that no longer count. If those were few, removes an eighth of the others.
    private mutating func makeRoom(_ now: Int64) {
        accounts = accounts.filter { now - $0.value.lastAsked < Self.hour }
        if accounts.count > originals - originals / 8 || entries > renditions - renditions / 8 {
            accounts.forgetEighth(by: \.lastAsked)
        }
        total = entries
    }

    private var entries: Int { accounts.values.reduce(0) { $0 + $1.entries.count } }
}
