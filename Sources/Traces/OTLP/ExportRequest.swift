// SPDX-License-Identifier: Apache-2.0
//
// opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest, field by field, as published at
// https://github.com/open-telemetry/opentelemetry-proto (1.x). Written by hand, because generated code and its runtime
// would be many times the size of these messages.

internal import Tracing

/// A batch of spans as OTLP/HTTP sends it.
package struct ExportRequest {
    /// The service that sends the spans.
    package struct Resource: Sendable, Hashable {
        /// `service.name`, by which backends group spans.
        package var service: String
        /// `service.version`.
        package var version: String
        /// `service.instance.id`, which tells this process from others of the service.
        package var instance: String

        /// Takes these three attributes of OpenTelemetry's conventions.
        package init(service: String, version: String, instance: String) {
            (self.service, self.version, self.instance) = (service, version, instance)
        }
    }

    /// The encoded message.
    package private(set) var bytes: [UInt8]

    /// Encodes spans, which may belong to different traces.
    package init(_ spans: [FinishedSpan], from resource: Resource) {
        var writer = ProtobufWriter()
        writer.message(1) { group in
            group.message(1) {
                $0.attribute(1, "service.name", .string(resource.service))
                $0.attribute(1, "service.version", .string(resource.version))
                $0.attribute(1, "service.instance.id", .string(resource.instance))
            }
            group.message(2) { scope in
                scope.message(1) {
                    $0.string(1, "pictor")
                    $0.string(2, resource.version)
                }
                for span in spans { scope.message(2) { $0.span(span) } }
            }
        }
        bytes = writer.bytes
    }
}

extension ProtobufWriter {
    fileprivate mutating func span(_ span: FinishedSpan) {
        bytes(1, span.place.trace.bytes)
        bytes(2, span.place.span.bytes)
        string(3, span.place.state)
        bytes(4, span.parent?.bytes ?? [])
        string(5, span.name)
        unsigned(6, span.kind.number)
        fixed64(7, span.start)
        fixed64(8, span.end)
        attributes(9, span.attributes)
        for event in span.events {
            message(11) {
                $0.fixed64(1, event.nanosecondsSinceEpoch)
                $0.string(2, event.name)
                $0.attributes(3, event.attributes)
            }
        }
        for link in span.links {
            message(13) {
                $0.bytes(1, link.trace.bytes)
                $0.bytes(2, link.span.bytes)
                $0.string(3, link.state)
                $0.fixed32(6, link.isSampled ? 1 : 0)
            }
        }
        if let status = span.status {
            message(15) {
                $0.string(2, status.message ?? "")
                $0.unsigned(3, status.code == .ok ? 1 : 2)
            }
        }
        // The flags: whether the trace is sampled; SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE; and whether the parent is remote.
        fixed32(16, (span.place.isSampled ? 1 : 0) | 0x100 | (span.isParentRemote ? 0x200 : 0))
    }

    fileprivate mutating func attributes(_ field: UInt64, _ attributes: SpanAttributes) {
        attributes.forEach { attribute(field, $0, $1) }
    }

    /// Writes a `KeyValue`.
    fileprivate mutating func attribute(_ field: UInt64, _ name: String, _ value: SpanAttribute) {
        message(field) {
            $0.string(1, name)
            $0.message(2) { $0.anyValue(value) }
        }
    }

    private mutating func anyValue(_ value: SpanAttribute) {
        switch value {
        case .string(let text): chosen(1, text)
        case .bool(let isTrue): chosen(2, isTrue ? 1 : 0 as UInt64)
        case .int32(let number): chosen(3, UInt64(bitPattern: Int64(number)))
        case .int64(let number): chosen(3, UInt64(bitPattern: number))
        case .double(let number): chosen(4, number)
        case .stringConvertible(let value): chosen(1, "\(value)")
        case .stringArray(let texts): chosen(1, texts.joined(separator: ", "))
        // Pictor uses no other lists.
        default: chosen(1, "")
        }
    }
}

extension SpanKind {
    fileprivate var number: UInt64 {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
