// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import Glibc
internal import Kernel

/// The lookups of names that hold a thread and three descriptors each: glibc's socket, and a pair of libcurl's.
///
/// A lookup cannot be ended: when its hop is given up, libcurl leaves the thread alone in getaddrinfo(3), and nobody learns when
/// it returns. Clients that request names whose servers do not answer, and then leave, could cause any number of lookups. So an
/// abandoned lookup keeps counting for as long as it may take.
///
/// Names that cost an attacker nothing, such as those below a domain with a wildcard, must not use up the lookups of others.
/// Names that never had an address may use three quarters of all lookups, and those of one site a quarter. Names that have had an
/// address may use all, and those of one site half.
///
/// **Isolation:** the network thread.
struct Lookups {
    /// To whom a lookup is attributed.
    enum Owner: Hashable {
        /// A proxy's or a store's host, which the settings name.
        case settings
        case host(String, of: Site)

        /// The owner for an origin's host.
        init(host: String) { self = .host(host, of: Site(host: host)) }
    }

    /// The most remembered names with an address: per site, and the most sites.
    private static let (mostKnown, mostSites) = (256, 4_096)

    /// The present number of lookups.
    private(set) var count = 0
    private var bySite: [Site: Int] = [:]
    /// The owners of abandoned lookups, and when each lookup is over at the latest; the first one first.
    private var leftAlone: [(end: Ticks, owner: Owner)] = []
    /// Hashes of names that have had an address, by site.
    private var known: [Site: Set<Int>] = [:]

    /// Begins a lookup; false if there are too many already.
    mutating func begin(_ owner: Owner, at now: Ticks, limit: Int) -> Bool {
        let over = leftAlone.prefix { $0.end <= now }
        if !over.isEmpty {
            leftAlone = Array(leftAlone.dropFirst(over.count))
            for lookup in over { remove(lookup.owner) }
        }
        guard count < limit else { return false }
        if case .host(let host, let site) = owner {
            let isKnown = known[site]?.contains(host.hashValue) ?? false
            let share = max(2, isKnown ? limit / 2 : limit / 4)
            guard isKnown || count < limit - limit / 4, bySite[site, default: 0] < share else { return false }
            bySite[site, default: 0] += 1
        }
        count += 1
        return true
    }

    /// Ends a lookup, which has found addresses or none.
    mutating func end(_ owner: Owner, found: Bool) {
        remove(owner)
        guard found, case .host(let host, let site) = owner else { return }
        if known.count >= Self.mostSites, known[site] == nil { known.remove(at: known.startIndex) }
        var names = known.removeValue(forKey: site) ?? []
        if names.count >= Self.mostKnown, !names.contains(host.hashValue) { _ = names.popFirst() }
        names.insert(host.hashValue)
        known[site] = names
    }

    /// Called when the hop of a lookup is given up.
    /// - Parameter longest: how long the lookup may go on.
    mutating func leaveAlone(_ owner: Owner, at now: Ticks, longest: Ticks) {
        let end = now + longest
        // Inserted after the lookups that are over sooner; the time may have changed with resolv.conf(5).
        let place = leftAlone.lastIndex { $0.end <= end }.map { $0 + 1 } ?? 0
        leftAlone.insert((end, owner), at: place)
    }

    private mutating func remove(_ owner: Owner) {
        count -= 1
        guard case .host(_, let site) = owner, let count = bySite[site] else { return }
        bySite[site] = count > 1 ? count - 1 : nil
    }
}

/// How long a lookup may take according to resolv.conf(5). The file is read again after a minute.
///
/// **Isolation:** the network thread.
struct LongestLookup {
    /// The time of a lookup with three servers, each of which is asked twice for 5 s, and with a search list.
    static let ceiling: Ticks = 60_000_000
    private static let floor: Ticks = 1_000_000
    private static let lifetime: Ticks = 60_000_000

    private var last: (ticks: Ticks, readAt: Ticks)?

    mutating func ticks(at now: Ticks) -> Ticks {
        if let last, now < last.readAt + Self.lifetime { return last.ticks }
        let seconds = ccurl_longest_lookup()
        let ticks =
            seconds > 0 ? min(max(Ticks(seconds) * 1_000_000, Self.floor), Self.ceiling) : Self.ceiling
        last = (ticks, now)
        return ticks
    }
}

extension SystemError {
    /// The failure of a hop whose name was not looked up (`Lookups`).
    static let tooManyLookups = SystemError("too many lookups of names", code: EAGAIN)
}
