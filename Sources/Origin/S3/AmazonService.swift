// SPDX-License-Identifier: Apache-2.0

/// The Amazon services that are used if the settings name no others. A region's partition has a domain of its own
/// (https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html).
package enum AmazonService: String, Sendable {
    /// The object store.
    case store = "s3"
    /// The security token service.
    case tokens = "sts"

    /// The service's URL in a region.
    package func url(in region: String) -> String {
        "https://\(rawValue).\(region).\(Self.domain(of: region))"
    }

    private static func domain(of region: String) -> String {
        domains.first { region.hasPrefix($0.prefix) }?.domain ?? "amazonaws.com"
    }

    /// Domains by the prefix of the region, as in the partitions of Amazon's own tools.
    private static let domains: [(prefix: String, domain: String)] = [
        ("cn-", "amazonaws.com.cn"), ("eusc-", "amazonaws.eu"), ("us-iso-", "c2s.ic.gov"),
        ("us-isob-", "sc2s.sgov.gov"), ("us-isof-", "csp.hci.ic.gov"), ("eu-isoe-", "cloud.adc-e.uk"),
    ]
}
