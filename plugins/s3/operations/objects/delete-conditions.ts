import type { ObjectVersion } from '#plugins/storage'
import { evaluateWriteConditions } from '../../wire/conditions.ts'
import type { Headers } from '../../wire/headers.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'

/** Thrown by a condition: there is no object that it could match, so nothing is deleted, and the deletion succeeds. */
export class NothingToDelete extends Error {
  override readonly name = 'NothingToDelete'
}

export type DeleteCondition = (current: ObjectVersion | undefined) => void

/** Conditions of one deletion. Times are compared in whole seconds, the resolution of HTTP dates. */
interface Expected {
  readonly etag?: string | undefined
  readonly lastModifiedMs?: number | undefined
  readonly size?: number | undefined
}

const timeHeader = 'x-amz-if-match-last-modified-time'
const sizeHeader = 'x-amz-if-match-size'

/** Returns a check that throws PreconditionFailed or NothingToDelete, or undefined without conditions. Throws InvalidArgument. */
export function readDeleteCondition(headers: Headers): DeleteCondition | undefined {
  return deleteCondition({
    etag: headers.get('if-match'),
    lastModifiedMs: readTime(headers.get(timeHeader)),
    size: readSize(headers.get(sizeHeader)),
  })
}

/** Returns a check that throws PreconditionFailed or NothingToDelete, or undefined without conditions. */
export function deleteCondition({ etag, lastModifiedMs, size }: Expected): DeleteCondition | undefined {
  if (etag === undefined && lastModifiedMs === undefined && size === undefined) return undefined
  return (current) => {
    if (current === undefined) throw new NothingToDelete()
    if (etag !== undefined) requireMatch(etag, current)
    if (lastModifiedMs !== undefined && seconds(lastModifiedMs) !== seconds(current.createdAtMs)) throw failed(timeHeader)
    if (size !== undefined && size !== current.size) throw failed(sizeHeader)
  }
}

const seconds = (timeMs: number): number => Math.floor(timeMs / 1000)

/** A delete marker matches only `*`. */
function requireMatch(ifMatch: string, current: ObjectVersion): void {
  if (current.isDeleteMarker && ifMatch.trim() === '*') return
  const result = evaluateWriteConditions({ ifMatch }, current.isDeleteMarker ? '' : current.etag)
  if (result.kind !== 'proceed') throw failed('If-Match')
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) throw invalidArgument(timeHeader, text, 'The time is not a valid date.')
  return timeMs
}

function readSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw invalidArgument(sizeHeader, text, 'The size must be a whole number.')
  return Number(text)
}

const failed = (condition: string) => new S3Error('PreconditionFailed', { extras: { Condition: condition } })
