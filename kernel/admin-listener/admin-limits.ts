/** Limits of the Admin listener, beside those of every connection. docs/reference/limits.md lists them with these texts. */
import type { LimitTexts } from '../process/limits.ts'

export const adminLimits = {
  adminConnectionsMax: 1024,
  adminConnectionsPerClientMax: 256,
  adminHeadMs: 5000,
  adminRequestMs: 30_000,
  adminIdleMs: 60_000,
  adminDroppedBytesMax: 1024 * 1024,
} as const

export const adminLimitTexts: LimitTexts<typeof adminLimits> = {
  adminConnectionsMax: 'Connections. A new one takes the place of the oldest without authenticated requests.',
  adminConnectionsPerClientMax:
    'Connections of one client address (an IPv6 /64 is one client). Browsers open a handful; scripts may run in parallel.',
  adminHeadMs: 'Time for the headers.',
  adminRequestMs:
    'Time from the headers to the end of body and answer, unless the route has its own. Requests without credentials always have this one.',
  adminIdleMs: 'Time between two requests of a connection, and the longest time in which a client takes no byte of an answer.',
  adminDroppedBytesMax: 'Bytes of a body that are read after the answer, so that a client that reads only after sending sees the answer.',
}
