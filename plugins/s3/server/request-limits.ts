/** Limits of every S3 request. docs/reference/limits.md lists them with these texts. */
import type { LimitTexts } from '#kernel/server'

export const requestLimits = {
  headMs: 10_000,
  idleConnectionMs: 72_000,
  formFieldsMs: 10_000,
  documentMs: 60_000,
  bodyBytesPerSecondMin: 1024,
  requestsPerClientPercent: 50,
  requestsPerUserPercent: 75,
  unauthenticatedPercent: 50,
  unauthenticatedPerClientPercent: 25,
  documentBytesMax: 128 * 1024 * 1024,
  documentPerUserPercent: 25,
} as const

export type RequestLimits = { readonly [Name in keyof typeof requestLimits]: number }

export const requestLimitTexts: LimitTexts<typeof requestLimits> = {
  headMs: 'Time for the headers, from the connection or the first byte of a further request; also for the TLS handshake.',
  idleConnectionMs:
    'Time between two requests of a connection. Longer than the usual 60 s of clients and proxies, so that they close first.',
  formFieldsMs: 'Time for the fields of an upload form, up to its file.',
  documentMs: 'Time for a whole XML body, and for a whole XML answer above 64 KiB.',
  bodyBytesPerSecondMin:
    'Rate below which a body falls behind. It is refused with RequestTimeout when it is `s3.body_idle_timeout` behind. Only the time in which the gateway waits for the client counts.',
  requestsPerClientPercent:
    'Share of `server.max_requests` that one client address can have. With a larger `server.max_connections_per_client` it is as large as that share of the connections.',
  requestsPerUserPercent: 'Share of `server.max_requests` that one S3 user can have, from all addresses.',
  unauthenticatedPercent:
    'Share of `server.max_requests` for all requests without a verified signature: anonymous ones, and forms until their fields are read.',
  unauthenticatedPerClientPercent:
    'Share of these for one client address. With a larger `server.max_connections_per_client` it is as large as that share of the connections.',
  documentBytesMax: 'Memory of the XML bodies and of the XML answers above 64 KiB of all requests. It is taken as bytes arrive.',
  documentPerUserPercent: 'Share of this memory for one user, or for one client address without a user. A single request may take more.',
}
