// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Origin
internal import RequestGrammar
package import Settings
internal import Signatures

extension Settings {
    /// Settings that are allowed but probably not intended, a sentence each: for the log at the start, and for `check`. If there are
    /// keys, the remarks name the dialects that answer without a signature.
    package var remarks: [String] {
        get throws(UnusableSetting) {
            let (unsigned, clear) = (try unsignedRemarks, try clearTextRemarks)
            return unsigned + idleRemarks + clear + readableSecrets
        }
    }

    private var unsignedRemarks: [String] {
        get throws(UnusableSetting) {
            let rule = try signatureRule
            let open = try Dialects(self).list { $0.isOpen(by: rule) && !$0.name.hasOwnKeys }
            var list: [String] = []
            if rule.keys != nil, !open.isEmpty {
                list.append(
                    "signatures.required leaves endpoints open to unsigned URLs: \(open); all would close them"
                )
            }
            for dialect in pathDialects where dialect.isServed && dialect.name.hasOwnKeys {
                guard try Dialects(self)[dialect.name].isOpen(by: rule) else { continue }
                list.append(
                    "\(dialect.name).keys is empty: the URLs of \(dialect.name) are answered whatever their signature is"
                )
            }
            return list
        }
    }

    /// About settings that do less than they seem to, because others are not set.
    private var idleRemarks: [String] {
        var list: [String] = []
        if !server.trustedProxies.isEmpty, server.clientField == .none, !server.proxyProtocol {
            list.append(
                "server.trusted-proxies is set, and neither server.client-field nor server.proxy-protocol is: all clients behind a proxy count as one"
            )
        }
        if !sharedStore.bucket.isEmpty, !sharedStore.originals, !sharedStore.renditions {
            list.append("shared-store.originals and shared-store.renditions are off: nothing is shared")
        }
        if fleet.clientLimits, limits.requestsPerClient == .off, limits.missesPerClient == .off {
            list.append(
                "fleet.client-limits is set, and neither limits.requests-per-client nor limits.misses-per-client is: clients have no limit"
            )
        }
        if !origin.proxy.isEmpty, origin.allowHosts.isEmpty, origin.allowUrls.isEmpty {
            list.append(
                "origin.proxy looks up the names of any host, so only the proxy keeps Pictor from addresses inside; name the hosts that are meant in origin.allow-hosts"
            )
        }
        return list
    }

    /// About secrets and clients' fields that are sent without TLS.
    private var clearTextRemarks: [String] {
        get throws(UnusableSetting) {
            let profiles = try originProfiles.list.filter(\.isSentInTheClear)
            var list = profiles.filter(\.isKnown).map {
                "origin.profiles: \($0.name) sends its credentials by http, where they can be read"
            }
            list += profiles.filter(\.passesMoreThanPreferences).map {
                "origin.profiles: \($0.name) passes fields of clients by http, where they can be read"
            }
            if azure.sasToken.isSet, azure.endpoint.hasPrefix("http://") {
                list.append("azure.sas-token is sent by http, where it can be read")
            }
            return list
        }
    }
}

extension OriginProfiles.Profile {
    /// True if requests to one of the profile's places may go by http.
    fileprivate var isSentInTheClear: Bool {
        match.contains { OriginProfile.Place($0)?.isInTheClear == true }
    }

    /// True if the profile passes a client's field that may tell who the client is.
    fileprivate var passesMoreThanPreferences: Bool {
        !passed.allSatisfy { ClientFields.isPreference($0.lowercased()) }
    }
}
