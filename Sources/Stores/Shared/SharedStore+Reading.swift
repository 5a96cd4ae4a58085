// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
package import Kernel
package import Pipeline
package import Recipes
package import SourceURLs

/// What a request looks up in the store.
extension SharedStore {
    /// The store's original of a URL; absent if this node has purged it. If this node has purged it softly, it is stale.
    package func lookUp(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>> {
        do throws(StoreSilence) {
            return try await original(of: key).map { .found($0) } ?? .absent
        } catch {
            return .silent
        }
    }

    private func original(of key: OriginalKey) async throws(StoreSilence) -> SharedAnswer<Body>? {
        guard configuration.originals else { return nil }
        let name = ObjectName.entry(key)
        guard let (envelope, file) = try await read(name) else { return nil }
        guard var found = SharedOriginal(metadata: envelope.metadata), found.key == key,
            let body = Self.enclosed(envelope, file, of: found)
        else {
            noteDamage(name)
            return nil
        }
        let time = believed(found.freshness.responseTime)
        switch record.verdict(on: key, tags: found.fields.tags, from: time) {
        case .holds: break
        // The time for which it may be served stale counts from the purge. Its time is not searched for; now is used.
        case .isStale: found.freshness = found.freshness.unconfirmed(at: environment.now())
        case .isPurged:
            counters.add(counters.purged)
            return nil
        }
        counters.add(counters.hits)
        return SharedAnswer(entry: found, body: body)
    }

    /// The time of an object, for the comparison with marks of purges. A time later than now comes from a clock that is ahead, so
    /// the object may be older than any purge.
    private func believed(_ time: Timestamp) -> Timestamp {
        let (latest, isFar) = environment.now().milliseconds.addingReportingOverflow(PurgeMarks.margin)
        return isFar || time.milliseconds <= latest ? time : Timestamp(milliseconds: .min)
    }

    /// The checked bytes within an entry; `.some(nil)` if it has none, nil if its bytes are wrong.
    private static func enclosed(
        _ envelope: Envelope, _ file: OwnedDescriptor, of original: SharedOriginal
    ) -> Body?? {
        guard envelope.bodyLength > 0 else { return .some(nil) }
        guard envelope.bodyDigest == original.digest.digest, envelope.bodyLength == original.length else {
            return nil
        }
        return Body.file(file, length: envelope.bodyLength)
    }

    /// The bytes of an original that are not within its entry.
    package func lookUpBody(of original: SharedOriginal) async -> LookResult<Body> {
        // Another node with a larger queue has written it. Here it counts as missing, and the origin is asked.
        guard original.length <= configuration.queueBytes else {
            counters.add(counters.skipped)
            return .absent
        }
        let name = ObjectName.original(original.digest)
        do throws(StoreSilence) {
            guard let (file, length, digest) = try await get(name) else { return .absent }
            // The object's name is the digest of its bytes, so anything else is damage.
            guard length == original.length, digest == original.digest.digest else {
                noteDamage(name)
                return .absent
            }
            counters.add(counters.hits)
            return .found(.file(file, length: length))
        } catch {
            return .silent
        }
    }

    /// The rendition of a key; nil if there is none, or if this node has purged it.
    /// - Parameter watermark: the bytes that it bears as a watermark; nil for none.
    package func rendition(
        _ key: RenditionKey, of original: OriginalDigest, bearing watermark: OriginalDigest? = nil
    ) async -> (rendition: Rendition, body: Body)? {
        guard configuration.renditions else { return nil }
        let name = ObjectName.rendition(key, of: original)
        guard let (envelope, file) = try? await read(name) else { return nil }
        guard let found = Rendition(metadata: envelope.metadata, key, length: envelope.bodyLength) else {
            noteDamage(name)
            return nil
        }
        let time = believed(envelope.written)
        let sources = [original, watermark].compactMap(\.self)
        guard !sources.contains(where: { record.hasPurged(renditionsOf: $0, from: time) }) else {
            counters.add(counters.purged)
            return nil
        }
        counters.add(counters.hits)
        return (found, .file(file, length: envelope.bodyLength))
    }
}
