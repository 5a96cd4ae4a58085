// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Platform
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// An origin that answers with open files in place of the network. Every file has a host name of its own, so that the failure of
/// one does not count against another; no resolver has an address for these names (RFC 6761 §6.4).
///
/// **Isolation:** a `Mutex` around the lent files.
final class FileOrigin: OriginPort {
    private struct LentFiles {
        var next = 0
        var files: [OriginalKey: (file: OwnedDescriptor, length: Int)] = [:]
    }

    /// The length of the largest file in bytes.
    private let limit: Int
    private let lent = Mutex(LentFiles())

    /// - Parameter limit: the length of the largest file in bytes.
    init(limit: Int) { self.limit = limit }

    /// Gives the file a URL, which is valid until `takeBack`.
    func lend(_ file: OwnedDescriptor, length: Int) -> SourceURL? {
        lent.withLock { lent -> SourceURL? in
            lent.next += 1
            guard let url = try? SourceURL.parse("http://f\(lent.next).files.pictor.invalid/") else {
                return nil
            }
            lent.files[url.bareKey] = (file, length)
            return url
        }
    }

    func takeBack(_ url: SourceURL) { lent.withLock { lent in lent.files[url.bareKey] = nil } }

    func permits(_ source: SourceURL) -> Bool { lent.withLock { $0.files[source.bareKey] != nil } }

    func giveWay(to waiting: Int) {}

    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body> {
        guard let (file, length) = lent.withLock({ $0.files[request.source.bareKey] }) else {
            throw FailedExchange(.sourceRefused)
        }
        guard length <= limit else { throw FailedExchange(.tooLarge(limit: limit)) }
        let now = SystemEnvironment.now()
        var fields = Fields()
        fields.append("Cache-Control", "no-store")
        do throws(SystemError) {
            let digest = OriginalDigest(try file.digest(length: length))
            return OriginReply(
                payload: .complete(body: .file(file, length: length), length: length, digest: digest),
                fields: fields, by: Transit(at: now))
        } catch {
            throw FailedExchange(.unavailable)
        }
    }
}
