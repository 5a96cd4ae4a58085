// SPDX-License-Identifier: Apache-2.0

/// All settings, in the order of the derived files; each section is in `Sections/`.
extension Setting {
    /// Every setting, grouped, in the order of the derived files.
    package static let table: [Setting] =
        server + limits + admin + access + cors + origin + s3 + azure + decoder + encoder + cache
        + sharedStore
        + fleet + negative + fallback + options + hints
        + weserv + next + cloudflare + imgproxy + thumbor + imagor + playground + traces + log

    /// The groups in that order, each with a sentence for people.
    package static let groups: [(name: String, help: String)] = [
        ("server", "The public listener."),
        (
            "limits",
            "How much one client may ask for at the public listener, and how much unsigned requests may have made of one picture; more is a 429."
        ),
        ("admin", "Health, metrics and control; never on the public listener."),
        ("signatures", "Which URLs need a signature, and by which keys."),
        ("referers", "Whose pages may show our pictures."),
        ("cors", "Whose scripts may read the answers."),
        ("origin", "How originals are fetched, and where from."),
        ("s3", "A store that speaks S3: where `s3://bucket/key` is fetched from."),
        ("azure", "Azure Blob Storage: where `azure://container/blob` is fetched from."),
        ("decoder", "The processes that decode, scale and encode."),
        ("encoder", "How pictures are written where the URL does not say. A change makes new renditions."),
        ("cache", "What is kept, where, and for how long."),
        (
            "shared-store",
            "A bucket that several nodes share behind memory and disk; see docs/operating/shared-store.md."
        ),
        (
            "fleet",
            "What several nodes tell one another, by Redis or Valkey; see docs/operating/fleet.md."
        ),
        ("negative", "How long failures are remembered, where the origin does not say."),
        (
            "fallback",
            "The picture in place of one that cannot be had or made; see docs/reference/options.md."
        ),
        ("options", "Names that URLs may use, and the widths they get."),
        (
            "client-hints",
            "What clients' hints tell of their screens and connections; see docs/reference/options.md."
        ),
        ("weserv", "The endpoint that reads wsrv.nl's URLs: `/?url=…`."),
        ("next", "The endpoint that reads Next.js' URLs: `/_next/image?url=…&w=…&q=…`."),
        (
            "cloudflare",
            "The endpoint that reads Cloudflare's URLs: `/cdn-cgi/image/width=80,…/https://host/photo.jpg`."
        ),
        (
            "imgproxy",
            "The endpoint that reads imgproxy's URLs: `/<signature>/rs:fill:300:400/plain/https://host/photo.jpg@webp`."
        ),
        (
            "thumbor",
            "The endpoint that reads thumbor's URLs: `/thumbor/SIGNATURE/300x200/smart/host/photo.jpg`."
        ),
        (
            "imagor",
            "The endpoint that reads imagor's URLs: `/imagor/SIGNATURE/fit-in/300x200/host/photo.jpg`."
        ),
        ("playground", "The page at `/playground`, where pictures are tried out."),
        ("traces", "Spans of requests for a collector of OpenTelemetry's; see docs/operating/tracing.md."),
        ("log", "What is logged to standard error, and the access log on standard output."),
    ]
}
