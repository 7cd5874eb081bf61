import type { ObjectVersion } from '#plugins/storage'
import { evaluateWriteConditions } from '../../wire/conditions.ts'
import type { Headers } from '../../wire/headers.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'

export type DeleteCondition = (current: ObjectVersion | undefined) => void

const timeHeader = 'x-amz-if-match-last-modified-time'
const sizeHeader = 'x-amz-if-match-size'

/** Returns a check that throws PreconditionFailed, or undefined without conditions. Throws InvalidArgument. */
export function readDeleteCondition(headers: Headers): DeleteCondition | undefined {
  const ifMatch = headers.get('if-match')
  const seconds = readSeconds(headers.get(timeHeader))
  const size = readSize(headers.get(sizeHeader))
  if (ifMatch === undefined && seconds === undefined && size === undefined) return undefined
  return (current) => {
    // Deleting a missing object succeeds.
    if (current === undefined) return
    if (ifMatch !== undefined) requireMatch(ifMatch, current)
    if (seconds !== undefined && seconds !== Math.floor(current.createdAtMs / 1000)) throw failed(timeHeader)
    if (size !== undefined && size !== current.size) throw failed(sizeHeader)
  }
}

/** A delete marker matches only `*`. */
function requireMatch(ifMatch: string, current: ObjectVersion): void {
  if (current.isDeleteMarker && ifMatch.trim() === '*') return
  const result = evaluateWriteConditions({ ifMatch }, current.isDeleteMarker ? '' : current.etag)
  if (result.kind !== 'proceed') throw failed('If-Match')
}

/** Whole seconds since 1970, the resolution of HTTP dates. */
function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) throw invalidArgument(timeHeader, text, 'The time is not a valid date.')
  return Math.floor(timeMs / 1000)
}

function readSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw invalidArgument(sizeHeader, text, 'The size must be a whole number.')
  return Number(text)
}

const failed = (condition: string) => new S3Error('PreconditionFailed', { extras: { Condition: condition } })
