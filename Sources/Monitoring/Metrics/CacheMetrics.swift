// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Pipeline
internal import Stores
internal import Telemetry

extension MetricTable {
    /// Rows of the memory cache and the open files.
    package static let memory: [Row] = [
        .gauge("memory_bytes", "bytes", "Bytes of renditions in memory.", \.memory.cost),
        .gauge("memory_entries", "entries", "Renditions in memory.", \.memory.entries),
        .counter(
            "memory_hits", "requests",
            "Requests for which an answer was found in memory, or as an open file.",
            \.memoryHits),
        .counter(
            "memory_misses", "requests", "Requests for which no answer was found in memory.", \.memoryMisses),
        .counter(
            "memory_evictions", "entries", "Renditions evicted from memory to make room.", \.memory.evictions),
    ]

    /// Rows of the disk cache.
    package static let disk: [Row] = [
        .gauge(
            "disk_bytes", "bytes", "Bytes of files on disk, and what URLs count beside them.", by: "kind",
            ["original": \.disk.originalBytes, "rendition": \.disk.renditionBytes]),
        .gauge(
            "disk_entries", "entries",
            "Originals, one for each URL, and renditions on disk. URLs may share a file.", by: "kind",
            ["original": \.disk.originals, "rendition": \.disk.renditions]),
        .counter(
            "disk_evictions", "entries",
            "Originals, one for each URL, and renditions evicted from the disk to make room.", \.disk.evicted),
        .counter(
            "disk_damaged", "files", "Files that did not match their row and were dropped.", \.disk.damaged),
        .counter(
            "disk_unreadable", "files",
            "Files that could not be read, or were altered or cut, while they were in use, and were dropped.",
            \.disk.unreadable),
        .counter(
            "disk_vanished", "files", "Files that were gone when they were wanted.", \.disk.vanished),
        .counter(
            "disk_skipped", "files", "Files that were not kept, for want of room in the budget.",
            \.disk.skipped),
        .counter(
            "disk_write_errors", "writes", "Files that the disk did not take.", \.disk.writeErrors),
        .counter("disk_index_errors", "writes", "Writes to the index that failed.", \.disk.indexErrors),
        .counter(
            "disk_reopened", "times", "Times that the cache on disk was replaced and opened anew.",
            \.disk.reopened),
        .gauge(
            "disk_keeping", "–", "1 while the disk keeps new pictures; 0 while it does not, or is gone.",
            \.diskKeeps),
    ]

    /// Rows of the files that are held outside of any cache (`HeldBytes`).
    package static let held: [Row] = [
        .gauge(
            "held_bytes", "bytes",
            "Bytes of files that are no part of the cache: on their way into it, not to be kept, or evicted while clients read them.",
            by: "where", ["memory": \.held.memoryBytes, "disk": \.held.diskBytes]),
        .gauge(
            "held_limit_bytes", "bytes", "Bytes of such files that there may be.", by: "where",
            ["memory": \.held.memoryLimit, "disk": \.held.diskLimit]),
        .counter(
            "held_refusals", "files",
            "Files that were not made, or not written to their end, for want of room.",
            by: "where", ["memory": \.held.memoryRefusals, "disk": \.held.diskRefusals]),
    ]

    /// Rows of the shared store; all 0 without one.
    package static let shared: [Row] = [
        .counter(
            "shared_store_reads", "objects",
            "Reads of the shared store, by result. hit: an object; miss: none; damaged; purged by this node; timeout: no answer in time; error: another failure; skipped: not asked, because the store rests, too many reads are under way, or the object is larger than this node's queue.",
            by: "result",
            [
                "hit": \.shared.hits, "miss": \.shared.misses, "damaged": \.shared.damaged,
                "purged": \.shared.purged, "timeout": \.shared.timeouts, "error": \.shared.errors,
                "skipped": \.shared.skipped,
            ]),
        .counter(
            "shared_store_hedges", "originals",
            "Originals for which the origin was asked as well, because the shared store was late, by whose answer was used: the store's; the origin's; neither's, as the origin failed and the store had none.",
            by: "winner",
            [
                "store": \.hedges.store, "origin": \.hedges.origin, "neither": \.hedges.neither,
            ]),
        .counter(
            "shared_store_writes", "objects",
            "Objects for the shared store: written; not taken by it; not written, for want of room in the queue.",
            by: "result",
            [
                "written": \.shared.written, "failed": \.shared.failedWrites, "dropped": \.shared.dropped,
            ]),
        .counter(
            "shared_store_deletes", "objects", "Objects that were deleted in the shared store.",
            \.shared.deleted),
        .gauge("shared_store_queue", "objects", "Changes that wait to be written.", \.shared.waiting),
        .gauge("shared_store_queue_bytes", "bytes", "Bytes that wait to be written.", \.shared.waitingBytes),
        .gauge(
            "shared_store_in_use", "–",
            "1 while the shared store is used; 0 while it rests after failures, and without one.", by: "way",
            ["read": \.shared.reading, "write": \.shared.writing]),
    ]
}
