// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Kernel
internal import Origin
internal import Platform
internal import Settings
internal import SourceURLs
internal import Stores

/// The shared store's bucket, read by a downloader whose network thread, connections and deadlines are separate from those of
/// origins.
struct SharedObjects: ObjectReading {
    let downloader: Downloader
    let place: SharedStorePlace

    func get(_ name: String) async -> ObjectReply {
        let url = SourceURL(scheme: .s3, host: place.bucket, port: 0, target: "/\(place.prefix)\(name)")
        do throws(FailedDownload) {
            let reply = try await downloader.fetch(Download(url: url))
            if let payload = reply.payload {
                // Pictor's own objects are never sent compressed.
                return payload.coding == nil
                    ? .found(payload.file, length: payload.length, digest: payload.digest)
                    : .failed(ObjectFailure(.error, "the object came compressed"))
            }
            // Of a missing bucket, operators must hear.
            if reply.status == 404, !reply.words.hasPrefix("NoSuchBucket") { return .absent }
            let words = reply.words.isEmpty ? "" : " (\(reply.words))"
            return .failed(ObjectFailure(.error, "status \(reply.status)\(words)"))
        } catch {
            let words = error.words.isEmpty ? "\(error.reason)" : "\(error.reason) (\(error.words))"
            switch error.reason {
            case .timedOut: return .failed(ObjectFailure(.timeout, words))
            case .cancelled, .overloaded, .fileWrite: return .failed(ObjectFailure(.own, words))
            case .tooLarge: return .failed(ObjectFailure(.oversized, words))
            default: return .failed(ObjectFailure(.error, words))
            }
        }
    }
}

/// Where the objects of the shared store are.
struct SharedStorePlace: Sendable {
    let store: ObjectStore
    let bucket: String
    /// The prefix of all names, ending with a slash; or empty.
    let prefix: String
    /// Nil for the system's authorities.
    let authorities: AuthorityBundle?

    /// A writer for one thread; nil if libcurl fails.
    func writer(until isOver: @escaping @Sendable () -> Bool) -> SharedObjectWriter? {
        BucketWriter(
            store, bucket: bucket, prefix: prefix, authorities: authorities,
            now: { SystemEnvironment.now() }, isOver: isOver
        ).map(SharedObjectWriter.init)
    }
}

/// Implements the store's port with libcurl's writer.
final class SharedObjectWriter: ObjectWriting {
    private let writer: BucketWriter

    init(_ writer: BucketWriter) { self.writer = writer }

    func put(_ body: Body, _ digest: Digest, as name: String) throws(ObjectFailure) {
        do throws(TransferFailure) { try writer.put(body, digest, as: name) } catch {
            throw ObjectFailure(error)
        }
    }

    func delete(_ name: String) throws(ObjectFailure) {
        do throws(TransferFailure) { try writer.delete(name) } catch { throw ObjectFailure(error) }
    }

    func object(_ name: String) throws(ObjectFailure) -> [UInt8]? {
        do throws(TransferFailure) { return try writer.object(name) } catch { throw ObjectFailure(error) }
    }

    func names(below prefix: String, after last: String?) throws(ObjectFailure) -> [String] {
        do throws(TransferFailure) { return try writer.names(below: prefix, after: last) } catch {
            throw ObjectFailure(error)
        }
    }
}

extension ObjectFailure {
    fileprivate init(_ failure: TransferFailure) {
        self.init(failure.isTimeout ? .timeout : .error, failure.words)
    }
}
