// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Endpoints
internal import Glibc
internal import Kernel
package import Settings

/// Findings about a running daemon and its machine, as sentences for people.
package struct Diagnosis: Sendable {
    package struct Finding: Sendable {
        let isWrong: Bool
        package let words: String

        package static func wrong(_ words: String) -> Finding { Finding(isWrong: true, words: words) }
        package static func good(_ words: String) -> Finding { Finding(isWrong: false, words: words) }
    }

    package private(set) var findings: [Finding] = []
    /// False if no admin listener answers.
    package private(set) var hasDaemon = false
    /// The daemon's JSON about the URL; nil if the command names no URL.
    package private(set) var explanation: String?

    /// Asks the daemon; changes nothing.
    /// - Parameter query: the query of a request of `/img` to be explained; nil for none.
    package init(_ settings: Settings, folder: String, query: String?) throws {
        let secret = try settings.adminSecret
        // Only the daemon can tell how many bytes the folder holds; without an index, it holds none.
        var held: Int? = FilePresence.isPossible(folder + "/index.sqlite") ? nil : 0
        var silences: [SystemError] = []
        for address in settings.adminAddresses where !hasDaemon {
            do throws(SystemError) {
                let answer = try HealthProbe.ask([address])
                hasDaemon = true
                let words = answer.text.filter { !$0.isNewline }
                findings.append(
                    answer.isReady
                        ? .good("The daemon at \(address) is ready.")
                        : .wrong("The daemon at \(address) is not ready: \(words)"))
            } catch {
                silences.append(error)
                continue
            }
            let client = DaemonClient([address], secret: secret, timeout: 5)
            let service = CacheService.daemon(client)
            if let trouble: RecentTrouble = try? client.send("GET", "/admin/live").report() {
                findings += trouble.remarks.map { .good($0) }
            }
            do { held = try read(service.statistics()) } catch {
                findings.append(.wrong("The daemon does not tell its state: \(error)"))
            }
            guard let query else { continue }
            do { explanation = try service.explain(query: query, accept: "") } catch {
                findings.append(.wrong("The URL cannot be explained: \(error)"))
            }
        }
        // If the settings name a new address, nobody listens there before the daemon's next start.
        for silence in silences {
            findings.append(
                hasDaemon
                    ? .good("Nobody answers at \(silence).")
                    : .wrong("No daemon answers: \(silence). Start it, or read the end of its log."))
        }
        if settings.adminAddresses.isEmpty {
            findings.append(.wrong("admin.listen is empty, so no daemon can be asked. Set it to an address."))
        }
        weigh(folder, budget: settings.cache.disk.bytes, held: held)
    }

    /// Returns the bytes that the cache holds.
    private mutating func read(_ report: StatisticsReport) throws -> Int {
        if let trouble = report.disk.trouble {
            findings.append(.wrong("The disk cache keeps nothing new: \(trouble)"))
        }
        for origin in report.origins?.resting ?? [] {
            findings.append(
                .wrong(
                    "The origin \(origin.origin) failed again and again; it may be asked again in "
                        + "\(origin.retryAfter) s. Look at the origin, and at the log for the reason."))
        }
        if let fleet = report.fleet, !fleet.isConnected {
            findings.append(
                .wrong(
                    "The fleet's Redis is away: for \(fleet.lagSeconds) s this node has not heard what others "
                        + "purged, and \(fleet.outbox) purges of its own wait. The log has the reason."))
        } else if let fleet = report.fleet, fleet.lagSeconds > 60 {
            findings.append(
                .wrong(
                    "For \(fleet.lagSeconds) s this node has not known what others purged, although Redis "
                        + "answers. The log has the reason."))
        }
        return report.disk.originalBytes + report.disk.renditionBytes
    }

    /// - Parameter held: bytes in the cache; nil if unknown. In that case, the budget does not show a lack of room, because the
    ///   cache may be full already.
    private mutating func weigh(_ folder: String, budget: Int, held: Int?) {
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else { return }
        let free = Int(clamping: room.f_bavail).multipliedReportingOverflow(by: Int(clamping: room.f_frsize))
        let mebibytes = (free.overflow ? Int.max : free.partialValue) >> 20
        let missing = held.map { max(0, budget - $0) >> 20 } ?? 0
        findings.append(
            mebibytes < missing
                ? .wrong(
                    "\(folder) has \(mebibytes) MiB free, and its budget needs \(missing) MiB more. "
                        + "Make room, or lower cache.disk.")
                : .good("\(folder) has \(mebibytes) MiB free."))
    }
}
