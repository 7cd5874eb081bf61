// One line of the log for every request that ended. Of the URL only bucket and key: a presigned query carries a signature.
import type { Log } from '#kernel'
import type { S3AccessSettings } from '../settings.ts'
import type { Place } from './target.ts'

/** What becomes known of a request while it is answered. */
export interface RequestNotes {
  operation?: string
  /** The user's that the request names, whether or not it then proves to be from that user. */
  accessKey?: string
  /** As the client was told; `CutOff` where the answer did not reach its end. */
  errorCode?: string
  /** Bytes of the answer's body. */
  sentBytes: number
}

export interface EndedRequest {
  readonly method: string | undefined
  readonly place: Place | undefined
  /** Undefined when nothing was answered. */
  readonly status: number | undefined
  readonly notes: RequestNotes
  readonly receivedBytes: number
  readonly durationMs: number
  readonly clientAddress: string | undefined
  readonly requestId: string
}

export type AccessLog = (ended: EndedRequest) => void

export function createAccessLog({ enabled, level }: S3AccessSettings, log: Log): AccessLog {
  if (!enabled) return () => {}
  const lines = log.child('s3-access')
  return ({ method, place, status, notes, receivedBytes, durationMs, clientAddress, requestId }) => {
    lines[level]('request', {
      method,
      ...(place !== undefined && place.kind !== 'service' && { bucket: place.bucket }),
      ...(place?.kind === 'object' && { key: place.key }),
      operation: notes.operation,
      status,
      errorCode: notes.errorCode,
      bytesIn: receivedBytes,
      bytesOut: notes.sentBytes,
      ms: Math.round(durationMs * 100) / 100,
      accessKey: notes.accessKey,
      client: clientAddress,
      requestId,
    })
  }
}
