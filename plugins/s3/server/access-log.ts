import type { Log } from '#kernel'
import type { S3AccessSettings } from '../settings.ts'
import type { Place } from '../wire/target.ts'

/** Facts collected while a request is handled. */
export interface RequestNotes {
  operation?: string
  /** Access key named by the request, also when its signature is then rejected. */
  accessKey?: string
  /** S3 error code sent to the client; `CutOff` when the response was aborted. */
  errorCode?: string
  /** Bytes of the response body. */
  sentBytes: number
}

interface EndedRequest {
  readonly method: string | undefined
  readonly place: Place | undefined
  /** Is undefined when no response was sent. */
  readonly status: number | undefined
  readonly notes: RequestNotes
  readonly receivedBytes: number
  readonly durationMs: number
  readonly clientAddress: string | undefined
  readonly requestId: string
}

export type AccessLog = (ended: EndedRequest) => void

/** Logs one line per finished request. It omits the query: a presigned query contains a signature. */
export function createAccessLog({ enabled, level }: S3AccessSettings, log: Log): AccessLog {
  if (!enabled) return () => {}
  const lines = log.child('s3-access')
  return ({ method, place, status, notes, receivedBytes, durationMs, clientAddress, requestId }) => {
    lines[level]('request', {
      method,
      // Lines omit undefined fields.
      bucket: place === undefined || place.kind === 'service' ? undefined : place.bucket,
      key: place?.kind === 'object' ? place.key : undefined,
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
