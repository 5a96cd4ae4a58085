// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
package import Recipes
internal import RequestGrammar

extension Settings {
    /// The decoder processes.
    package struct Decoder: Sendable, Equatable {
        /// The number of processes; 0 for one per processor that this process may use.
        package var processes = 0
        /// How strictly the sandbox is enforced.
        package var jail = JailMode.prefer
        /// The time limit for one picture; then its process is killed.
        package var timeout = Duration.seconds(20)
        /// A picture whose expected time is longer than this counts as long.
        package var longPicture = Duration.seconds(1)
        /// The memory for all pictures under way; 0 to derive it from the machine's memory.
        package var memory = ByteCount(0)
        /// The most AVIF pictures at once; 0 for as many as there are processes.
        package var avifJobs = 0
        /// The most pixels of an original: width × height × frames.
        package var maximumPixels = 100_000_000
        /// The most frames of an animation.
        package var maximumFrames = 256
        /// The most bytes of a rendition.
        package var maximumOutput = ByteCount(64 << 20)
        /// Names of formats that are read.
        package var formats = ImageFormat.trusted.map(\.name)
        /// Names of formats that are written besides the usual ones.
        package var writes: [String] = []
        /// What to do with truncated pictures.
        package var damaged = DamagedPicture.refuse
        /// Font families that texts may use.
        package var fonts: [String] = []
        /// True to scale down common JPEGs with Pictor's own decoder.
        package var jpegLane = true
        /// The number of pictures after which a process is replaced.
        package var recycleAfter = 2_000
        /// Resident memory above which a process is replaced.
        package var recycleAbove = ByteCount(112 << 20)
        /// The most pictures that wait for a process.
        package var queueLength = 256
        /// How long a picture waits for a process.
        package var queueTimeout = Duration.seconds(10)
    }
}

extension Setting {
    static let decoder: [Setting] = [
        .number(
            "decoder.processes", \.decoder.processes, .atRestart(.processes), 0...256,
            "Decoder processes; 0 = one for each processor that the process may use."),
        Setting(
            "decoder.jail", \.decoder.jail, .atRestart(.processes),
            "The measures around decoder and inspector processes (seccomp, Landlock, no privileges, limits): require = no start without them, prefer = those that the kernel permits, off = limits only. `pictor check` tells which are in force."
        ),
        .positive(
            "decoder.timeout", \.decoder.timeout, .live,
            "How long making one picture may take; after that the process is killed and the answer is a 504. A search for a quality (q=auto) gets up to as much time again for its tries. A 100 MP JPEG takes about 1 s."
        ),
        .positive(
            "decoder.long-picture", \.decoder.longPicture, .live,
            "A picture that is expected to take longer than this, judged by its pixels and by what such pictures took of late, is a long one. Long pictures leave one process to the others; of a single process they take half the time while others wait."
        ),
        .size(
            "decoder.memory", \.decoder.memory, .atRestart(.memory), from: 16 << 20, orNone: true,
            "Memory that all pictures under way may take together, by their prices: what each is expected to take at most. A part of it, 40 MiB or a quarter if that is less, is kept for pictures that cost no more than that part; a picture that costs more than the rest is a 413. 0 = three quarters of what the memory cache and the processes themselves leave of the machine's memory or the control group's limit."
        ),
        .number(
            "decoder.avif-jobs", \.decoder.avifJobs, .live, 0...256,
            "AVIF pictures made at once; the others wait in a queue of their own. 0 = as many as there are processes."
        ),
        .number(
            "decoder.maximum-pixels", \.decoder.maximumPixels, .live, 1...2_000_000_000,
            "Width × height × frames of an original, as its header tells; more is a 413."),
        .number(
            "decoder.maximum-frames", \.decoder.maximumFrames, .live, 1...10_000,
            "Frames decoded of an animation; more is a 413."),
        .size(
            "decoder.maximum-output", \.decoder.maximumOutput, .atRestart(.processes), from: 1 << 10,
            "Bytes of a rendition; more is a 413."),
        Setting(
            "decoder.formats", \.decoder.formats, .atRestart(.processes),
            "Formats that are read: any of jpeg png webp gif avif heic tiff bmp ico svg jxl pdf. Name the last three only where the sources can be trusted, because their decoders were not built for hostile bytes. Code of formats not named is not loaded.",
            form: "a list of \(ImageFormat.readable.map(\.name).sorted().joined(separator: ", "))",
            where: {
                $0.allSatisfy { name in ImageFormat(name: name).map(ImageFormat.readable.contains) ?? false }
            }),
        Setting(
            "decoder.fonts", \.decoder.fonts, .atRestart(.processes),
            "Font families that the option text may use, as sans, serif or DejaVu Sans; the first is the default. Empty = no text is written. If any is named, decoders can read the folders of this machine's fonts.",
            form: "a list of names of 1 to 64 letters, digits, blanks, dots, underscores and hyphens",
            where: { $0.allSatisfy(ConfiguredName.isFontFamily) }),
        Setting(
            "decoder.writes", \.decoder.writes, .atRestart(.processes),
            "Formats that are written beside jpeg, png, webp, gif, avif and tiff: jxl. The encoder of JPEG XL is separate code, which sees pixels and no byte of an original; its decoder stays closed. If decoder.formats names jxl, it is written too.",
            form: "jxl", where: { $0.allSatisfy { $0 == "jxl" } }),
        Setting(
            "decoder.damaged", \.decoder.damaged, .live,
            "What becomes of a picture whose data end early or break off: refuse = a 422, show = as much as can be decoded. A change makes new renditions."
        ),
        Setting(
            "decoder.jpeg-lane", \.decoder.jpegLane, .atRestart(.processes),
            "Decode and resize the usual kinds of JPEG that become smaller with Pictor's own code, in about half of libvips' time. libvips makes all other pictures, and every irregular JPEG. A change makes new renditions."
        ),
        .number(
            "decoder.recycle-after", \.decoder.recycleAfter, .atRestart(.processes), 1...1_000_000,
            "Pictures after which a process is replaced, so that leaks and fragmentation end."),
        .size(
            "decoder.recycle-above", \.decoder.recycleAbove, .atRestart(.memory), from: 32 << 20,
            "Resident memory above which a process is replaced; never more than an eighth of what the machine or the control group allows, or than 64 MiB if that is more."
        ),
        .number(
            "decoder.queue-length", \.decoder.queueLength, .live, 0...100_000,
            "Pictures that may wait for a process; more is a 503."),
        .positive(
            "decoder.queue-timeout", \.decoder.queueTimeout, .live,
            "How long a picture may wait for a process."),
    ]
}
