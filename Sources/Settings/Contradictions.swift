// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// A sentence for each combination of settings that makes no sense, although each setting alone is valid.
    package var contradictions: [String] {
        let parts = [
            orderContradictions, fetchContradictions, traceContradictions, storeContradictions,
            hintContradictions, sharingContradictions, formatContradictions, idleDialects, repeatedPlaces,
            repeatedAddresses,
        ]
        return parts.flatMap { $0 }
    }

    private var orderContradictions: [String] {
        [
            Self.disorder(
                ("cache.minimum-lifetime", cache.minimumLifetime),
                ("cache.maximum-lifetime", cache.maximumLifetime)),
            Self.disorder(
                ("cache.client-minimum-lifetime", cache.clientMinimumLifetime),
                ("cache.client-maximum-lifetime", cache.clientMaximumLifetime)),
            Self.disorder(
                ("origin.first-rest", origin.firstRest), ("origin.longest-rest", origin.longestRest)),
            Self.disorder(
                ("origin.maximum-fetches-per-host", origin.maximumFetchesPerHost),
                ("origin.maximum-fetches", origin.maximumFetches)),
        ].compactMap(\.self)
    }

    /// The sentence if the first value is above the second; nil otherwise.
    private static func disorder<Value: Comparable>(
        _ low: (String, Value), _ high: (String, Value)
    ) -> String? {
        low.1 > high.1 ? "\(low.0) is above \(high.0)" : nil
    }

    private var fetchContradictions: [String] {
        var list: [String] = []
        for (key, most) in [
            ("origin.maximum-body", origin.maximumBody), ("decoder.maximum-output", decoder.maximumOutput),
        ] where cache.heldDisk.bytes > 0 && cache.heldDisk.bytes / 2 < most.bytes {
            list.append("cache.held-disk is less than twice \(key): one so large would find no room")
        }
        if origin.proxy.isEmpty, origin.proxyCredentials.isSet || !origin.proxyExcept.isEmpty {
            let key = origin.proxyCredentials.isSet ? "origin.proxy-credentials" : "origin.proxy-except"
            list.append("\(key) is set, and origin.proxy is not")
        }
        return list
    }

    private var traceContradictions: [String] {
        guard traces.endpoint.isEmpty, traces.credentials.isSet || !traces.origins.isEmpty || traces.parent
        else { return [] }
        let key =
            traces.credentials.isSet
            ? "traces.credentials" : traces.parent ? "traces.parent" : "traces.origins"
        return ["\(key) is set, and traces.endpoint is not"]
    }

    private var storeContradictions: [String] {
        var list: [String] = []
        if s3.buckets.isEmpty, s3.access.isSetUp {
            list.append("s3 is set up, and s3.buckets is empty: no bucket could be read")
        }
        if azure.containers.isEmpty,
            !azure.account.isEmpty || !azure.endpoint.isEmpty || azure.accountKey.isSet
                || azure.sasToken.isSet
        {
            list.append("azure is set up, and azure.containers is empty: no container could be read")
        }
        return list
    }

    private var hintContradictions: [String] {
        var list: [String] = []
        if imgproxy.clientHints, !hints.enabled {
            list.append("imgproxy.client-hints is set, and client-hints.enabled is not")
        }
        if imgproxy.enforceAutoFormats, imgproxy.autoFormats.isEmpty {
            list.append("imgproxy.enforce-auto-formats is set, and imgproxy.auto-formats is empty")
        }
        if hints.enabled, hints.widths.isEmpty {
            list.append("client-hints.enabled is set, and client-hints.widths is empty")
        }
        return list
    }

    /// About what nodes share: the store and the fleet.
    private var sharingContradictions: [String] {
        var list: [String] = []
        let shared = sharedStore
        if shared.bucket.isEmpty, shared.access.isSetUp {
            list.append("shared-store is set up, and shared-store.bucket is empty: nothing would be shared")
        }
        if fleet.redis.isEmpty,
            !fleet.sentinel.isEmpty || !fleet.user.isEmpty || fleet.password.isSet || fleet.clientLimits
                || fleet.originLimits
        {
            list.append("fleet is set up, and fleet.redis is empty: no node would hear of another")
        }
        let disorder = Self.disorder(
            ("shared-store.first-byte-timeout", shared.firstByteTimeout),
            ("shared-store.timeout", shared.timeout))
        if let disorder { list.append(disorder) }
        return list
    }

    /// About pictures that could not be fetched, read or written.
    private var formatContradictions: [String] {
        var list: [String] = []
        for (key, formats) in automaticFormats where formats.contains("jxl") && !writesJXL {
            list.append("\(key) names jxl, and decoder.writes does not")
        }
        if origin.ports.isEmpty, origin.files.places.isEmpty, s3.buckets.isEmpty, azure.containers.isEmpty {
            list.append("origin.ports is empty: nothing could be fetched")
        }
        if decoder.formats.isEmpty { list.append("decoder.formats is empty: no picture could be read") }
        if output.svg, !decoder.formats.contains("svg") {
            list.append("encoder.svg is set, and decoder.formats does not name svg: none is read")
        }
        return list
    }

    /// True if JPEG XL can be written: it must be listed in `decoder.writes`, or its decoder must be enabled.
    package var writesJXL: Bool { decoder.writes.contains("jxl") || decoder.formats.contains("jxl") }

    private var automaticFormats: [(String, [String])] {
        [
            ("options.auto-formats", options.autoFormats), ("next.formats", next.formats),
            ("imgproxy.auto-formats", imgproxy.autoFormats),
            ("imgproxy.preferred-formats", imgproxy.preferredFormats),
            ("thumbor.auto-formats", thumbor.autoFormats),
            ("imagor.auto-formats", imagor.autoFormats),
        ]
    }

    /// Sentences about addresses that two listeners share. Port 0 may be repeated, because the kernel chooses a port for each.
    private var repeatedAddresses: [String] {
        var list: [String] = []
        var seen: [String: String] = [:]
        for (key, addresses) in [("server.listen", server.listen), ("admin.listen", admin.listen)] {
            for address in addresses where !address.hasSuffix(":0") {
                let earlier = seen.updateValue(key, forKey: address.lowercased())
                if let earlier {
                    let place = earlier == key ? "\(key) twice" : "\(earlier) and in \(key)"
                    list.append("\(address) stands in \(place)")
                }
            }
        }
        return list
    }
}
