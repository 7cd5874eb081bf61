import { type BodySource, openRequestBody, type RequestBody } from '../auth/request-body.ts'
import type { S3Services } from '../operations/operation.ts'
import { defaultChecksum } from '../settings.ts'
import type { S3Signer } from '../users/signer.ts'
import type { Headers } from '../wire/headers.ts'
import type { S3Target } from '../wire/target.ts'
import type { RequestNotes } from './access-log.ts'
import type { Admitted } from './admission.ts'
import type { RequestLimits } from './request-limits.ts'
import type { WireBody } from './wire-body.ts'

export interface IncomingRequest {
  readonly method: string
  readonly target: S3Target
  readonly headers: Headers
  /** Scheme and authority of the request's URL. */
  readonly origin: string
  readonly wire: BodySource['wire'] & Pick<WireBody, 'requireWithin'>
  readonly clientSignal: () => AbortSignal
  readonly holdMemory: (bytes: number) => void
  readonly admitted: Pick<Admitted, 'authenticate' | 'beUnauthenticated'>
  readonly limits: RequestLimits
  /** Milliseconds UTC. */
  readonly now: number
  readonly notes: Pick<RequestNotes, 'operation' | 'accessKey'>
}

export interface AnswerDeps extends S3Services {
  readonly findSigner: (accessKey: string) => S3Signer | undefined
  /** A signature of the user was verified. */
  readonly noteUse: (accessKey: string) => void
}

/** Notes the user for the access log. */
export function findUserIn({ notes }: Pick<IncomingRequest, 'notes'>, { findSigner }: Pick<AnswerDeps, 'findSigner'>) {
  return (accessKey: string): S3Signer | undefined => {
    const user = findSigner(accessKey)
    if (user !== undefined) notes.accessKey = accessKey
    return user
  }
}

type OpenedBody = Omit<BodySource, 'defaultChecksum'> & Partial<Pick<BodySource, 'defaultChecksum'>>

export const openBody = ({ settings }: Pick<AnswerDeps, 'settings'>, source: OpenedBody): Promise<RequestBody> =>
  openRequestBody({ defaultChecksum: defaultChecksum(settings), ...source })
