/**
 * @recipe a wait for a client
 * Its deadline, bound and share are limits of a table with a text for each (`kernel/http/connection-limits.ts`, `admin-limits.ts`,
 * `plugins/s3/server/request-limits.ts`); `tools/pages/entry-limits.ts` names them for each entry point, and a new attack is a kind in
 * `e2e/load/hostile-clients.ts`.
 */
/** Limits of every connection, on both listeners. docs/reference/limits.md lists them with these texts. */
import type { LimitTexts } from '../../process/limits.ts'

export const connectionLimits = {
  keptRequestsMax: 32,
  keptRequestsPauseAt: 8,
  keptBytesMax: 256 * 1024,
  keptBytesOfAllMax: 16 * 1024 * 1024,
  endingMs: 2000,
  endingMax: 1024,
  droppedBytesMax: 16 * 1024 * 1024,
  restOfBodyMs: 30_000,
  unauthenticatedStartsPerTurn: 32,
  lookMs: 1000,
} as const

export const connectionLimitTexts: LimitTexts<typeof connectionLimits> = {
  keptRequestsMax: 'Requests of one connection that wait for the answer before theirs. With more, the connection closes after these.',
  keptRequestsPauseAt: 'Waiting requests of one connection at which it is not read.',
  keptBytesMax: 'Memory of the waiting requests of one connection.',
  keptBytesOfAllMax: 'Memory of the waiting requests of all connections of a listener.',
  endingMs: 'Time from the last answer of a connection to its end, if the client does not close it.',
  endingMax: 'Ending connections. They are not counted as connections of their client; with more, the oldest is cut.',
  droppedBytesMax: 'Bytes that are received and dropped after a refusal, so that a client that is still sending reads the answer.',
  restOfBodyMs: 'Time for the rest of a body after the answer to its request.',
  unauthenticatedStartsPerTurn:
    'Requests that start in one turn of the event loop, of all connections on which no request was authenticated. Others start at once.',
  lookMs: 'Interval in which connections are compared with the limits of time.',
}
