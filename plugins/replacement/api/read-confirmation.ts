import type { ReplacementCommand } from '../contract.ts'
import { checkCommand } from '../requests/command.ts'

interface Body {
  readonly client_request_id?: string
  readonly mode?: unknown
  readonly provider_id?: unknown
}

/** Throws what is wrong with the form of a confirmation, which is judged before the bucket is looked up. A member of another type is not valid. */
export function readConfirmation(
  body: Body,
  place: Pick<ReplacementCommand, 'dataSetId' | 'origin'>,
): Omit<ReplacementCommand, 'bucketId'> {
  const { bucketId: _unknown, ...command } = checkCommand({
    ...place,
    bucketId: 0,
    mode: textOf(body.mode) ?? '',
    providerId: textOf(body.provider_id),
    clientRequestId: body.client_request_id ?? '',
  })
  return command
}

/** Returns undefined only for an absent member. */
const textOf = (member: unknown): string | undefined => (typeof member === 'string' || member === undefined ? member : '')
