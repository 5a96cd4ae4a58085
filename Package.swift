// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The manifest is the architecture: arrows point down only, and one loop gives every Swift target the same
// strict settings. README.md, "Architecture", says in one line what each room is for.

import PackageDescription

// MARK: C doors: one module map and one small shim each.

let doors: [Target] = [
    .target(name: "CLinux"),  // epoll, eventfd, sendfile, O_TMPFILE and friends, which Glibc's module leaves out
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CVipsLibrary", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
    .target(name: "CVips", dependencies: ["CVipsLibrary"]),  // no glib type leaves its header
]

// MARK: Pure rooms: values and rules; no file, no socket, no clock, no C library.

let pure: [Target] = [
    .target(name: "HTTPSemantics"),
    .target(name: "HTTPCaching", dependencies: ["HTTPSemantics"]),
    .target(name: "HTTP1", dependencies: ["HTTPSemantics"]),
    .target(name: "ImageModel"),
    .target(name: "Pipeline", dependencies: ["HTTPCaching", "HTTPSemantics", "ImageModel"]),
    .target(name: "Telemetry"),
]

// MARK: Adapters: each meets one piece of the world; none imports another.

let adapters: [Target] = [
    .target(name: "Kernel", dependencies: ["CLinux"]),
    .target(name: "Hashing", dependencies: ["CCrypto", "ImageModel"]),
    .target(name: "HTTPServer", dependencies: ["CLinux", "HTTP1", "HTTPSemantics", "Kernel"]),
    .target(
        name: "Stores",
        dependencies: [
            "CLinux", "CSQLite", "Hashing", "HTTPCaching", "HTTPSemantics", "ImageModel", "Kernel",
        ]),
    .target(
        name: "Origin", dependencies: ["CCurl", "CLinux", "Hashing", "HTTPSemantics", "ImageModel", "Kernel"]),
    .target(name: "DecoderPool", dependencies: ["CLinux", "ImageModel", "Kernel"]),
    .target(name: "Imaging", dependencies: ["CVips", "ImageModel", "Kernel"]),
    .target(name: "Jail", dependencies: ["CLinux", "Kernel"]),
]

// MARK: The root and the executable.

let roots: [Target] = [
    .target(
        name: "Daemon",
        dependencies: [
            "DecoderPool", "Hashing", "HTTP1", "HTTPCaching", "HTTPSemantics", "HTTPServer", "ImageModel",
            "Kernel", "Origin",
            "Pipeline", "Stores", "Telemetry",
        ]),
    .executableTarget(name: "pictor", dependencies: ["Daemon", "DecoderPool", "Imaging", "Jail"]),
]

// MARK: Tests: one target a room.

let tests: [Target] = [
    .testTarget(name: "HTTPSemanticsTests", dependencies: ["HTTPSemantics"]),
    .testTarget(name: "HTTPCachingTests", dependencies: ["HTTPCaching", "HTTPSemantics"]),
    .testTarget(name: "HTTP1Tests", dependencies: ["HTTP1", "HTTPSemantics"]),
    .testTarget(name: "ImageModelTests", dependencies: ["ImageModel"]),
    .testTarget(
        name: "PipelineTests", dependencies: ["HTTPCaching", "HTTPSemantics", "ImageModel", "Pipeline"]),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry"]),
    .testTarget(name: "HTTPServerTests", dependencies: ["HTTP1", "HTTPSemantics", "HTTPServer", "Kernel"]),
    .testTarget(
        name: "StoresTests",
        dependencies: ["Hashing", "HTTPCaching", "HTTPSemantics", "ImageModel", "Kernel", "Stores"]),
    .testTarget(name: "OriginTests", dependencies: ["HTTPSemantics", "ImageModel", "Kernel", "Origin"]),
    .testTarget(name: "DecoderPoolTests", dependencies: ["DecoderPool", "ImageModel", "Kernel"]),
    .testTarget(name: "ImagingTests", dependencies: ["CVips", "ImageModel", "Imaging", "Kernel"]),
]

let package = Package(
    name: "pictor",
    products: [.executable(name: "pictor", targets: ["pictor"])],
    targets: doors + pure + adapters + roots + tests,
    swiftLanguageModes: [.v6]
)

for target in package.targets
where target.type != .system && !doors.contains(where: { $0.name == target.name }) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
