// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import HTTPSemantics
internal import Kernel
internal import SourceURLs

/// The dependencies and the state that all exchanges share.
final class ExchangeContext {
    private(set) var configuration: OriginConfiguration
    /// The time limits of fetches that begin now.
    private(set) var limits: Deadlines.Limits
    let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    let now: @Sendable () -> Timestamp
    let ownListeners: OwnListeners
    let counts: AtomicDownloadCounters
    let connections: Connections
    /// The next time at which the loop checks the deadlines; a lower bound, because most deadlines move on
    /// unused.
    private(set) var alarm = Ticks.max
    private var hasRefused = false
    private var moved: Set<SourceOrigin> = []
    var lookups = Lookups()
    var longestLookup = LongestLookup()

    init(
        _ configuration: OriginConfiguration,
        makeFile: @escaping @Sendable () throws(SystemError) -> OwnedDescriptor,
        now: @escaping @Sendable () -> Timestamp, ownListeners: OwnListeners, counts: AtomicDownloadCounters,
        connections: Connections
    ) {
        self.configuration = configuration
        limits = Deadlines.Limits(configuration)
        self.makeFile = makeFile
        self.now = now
        self.ownListeners = ownListeners
        self.counts = counts
        self.connections = connections
    }

    /// Why this address must not be dialled, or used over a kept connection; nil if it may.
    func refusal(of address: IPAddress, port: UInt16) -> SourceRefusal? {
        configuration.policy.addresses.refusal(of: address, port: port)
            ?? refusal(ofNamed: address, port: port)
    }

    /// Why this address of a proxy or a store that the settings name must not be dialled: only if this process itself listens
    /// there.
    func refusal(ofNamed address: IPAddress, port: UInt16) -> SourceRefusal? {
        ownListeners.hold(address, port: port) ? .ownListener : nil
    }

    func replaceConfiguration(with new: OriginConfiguration) {
        configuration = new
        limits = Deadlines.Limits(new)
    }

    func noteRefusal() { hasRefused = true }

    /// True if an address was refused since the last call.
    func takeRefusal() -> Bool {
        defer { hasRefused = false }
        return hasRefused
    }

    /// Notes that a hop to this origin has got a connection, dials one, or is over, so that another hop may get one now.
    func noteMove(at origin: SourceOrigin) { moved.insert(origin) }

    /// The origins of the notes since the last call.
    func takeMoves() -> Set<SourceOrigin> {
        guard !moved.isEmpty else { return [] }
        defer { moved = [] }
        return moved
    }

    func lowerAlarm(to moment: Ticks) { alarm = min(alarm, moment) }
    func resetAlarm() { alarm = .max }

    static var ticks: Ticks { pictor_monotonic_microseconds() }
}
