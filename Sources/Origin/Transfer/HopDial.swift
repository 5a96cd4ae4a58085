// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import Kernel
internal import Synchronization

/// How a hop gets its connection: the lookup of its host, and which addresses may be dialled or used.
///
/// **Isolation:** the network thread.
struct HopDial {
    private let context: ExchangeContext
    /// The host that libcurl looks up: the origin's, the proxy's or the store's.
    private let host: String
    /// True if the settings name that host.
    private let isNamed: Bool
    private var dialling: Dialling
    /// The owner of the lookup under way; nil if there is none.
    private var lookup: Lookups.Owner?
    /// True once libcurl makes a connection for the hop; before, the hop waits until the host may have another connection.
    private(set) var hasBegun = false

    /// - Parameters:
    ///   - host: the host of the origin, the proxy or the store.
    ///   - isProxied: true for a proxy's host.
    ///   - isStore: true for a store's host.
    init(to host: String, isProxied: Bool, isStore: Bool, _ context: ExchangeContext) {
        self.host = host
        self.context = context
        isNamed = isProxied || isStore
        dialling = Dialling(isProxied: isProxied)
    }

    /// True while the hop has no connection and libcurl makes none for it.
    var isWaiting: Bool { !hasBegun && !dialling.isConnected }

    /// True once a connection was ready for the request, its TLS included.
    var isConnected: Bool { dialling.isConnected }

    /// Why the last address was not dialled, or not used.
    var refusal: SourceRefusal? { dialling.refusal }

    /// Called when libcurl is about to resolve the host, which is not in its cache. False if there are too many lookups.
    mutating func mayLookUp() -> Bool {
        hasBegun = true
        guard lookup == nil, IPAddress(host) == nil else { return true }
        let owner: Lookups.Owner = isNamed ? .settings : Lookups.Owner(host: host)
        let limit = context.configuration.lookupLimit
        guard context.lookups.begin(owner, at: ExchangeContext.ticks, limit: limit) else {
            dialling.shortage = .tooManyLookups
            return false
        }
        lookup = owner
        return true
    }

    mutating func lookedUp(found: Bool) {
        guard let owner = lookup.take() else { return }
        context.lookups.end(owner, found: found)
    }

    /// Called when the hop is given up.
    mutating func leaveLookup(at now: Ticks) {
        guard let owner = lookup.take() else { return }
        context.lookups.leaveAlone(owner, at: now, longest: context.longestLookup.ticks(at: now))
    }

    /// True if the address in this `sockaddr` may be dialled.
    mutating func mayDial(_ address: UnsafeRawBufferPointer) -> Bool {
        hasBegun = true
        lookedUp(found: true)
        guard let target = IPAddress(socketAddress: address) else { return false }
        guard isOpen(target, IPAddress.port(ofSocketAddress: address)) else { return false }
        dialling.hasDialled = true
        context.counts.connections.add(1, ordering: .relaxed)
        return true
    }

    /// True if a connection to that address may be used.
    mutating func isOpen(_ address: IPAddress, _ port: UInt16) -> Bool {
        let refusal =
            isNamed
            ? context.refusal(ofNamed: address, port: port)
            : context.refusal(of: address, port: port)
        guard let refusal else { return true }
        dialling.refusal = refusal
        context.noteRefusal()
        context.counts.refusedAddresses.add(1, ordering: .relaxed)
        return false
    }

    /// Called if no socket could be made for an address.
    mutating func noSocket(_ error: SystemError) {
        guard error.isShortage else { return }
        dialling.shortage = error
        context.noteRefusal()
    }

    mutating func connected() { dialling.isConnected = true }

    /// The meaning of libcurl's code, considering how far the hop had come.
    ///
    /// - Parameter host: the host of the requested URL.
    func problem(for code: CURLcode, askedFor host: String) -> Dialling.Problem {
        // The absence of a name that the settings contain tells clients nothing about the network. And while a store is away,
        // stored originals can be served in its place.
        dialling.problem(
            for: code, hidesAbsence: !isNamed && context.configuration.policy.hidesAbsence(of: host))
    }
}
