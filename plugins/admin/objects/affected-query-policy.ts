/** Query of the list of affected versions. */
import { kernelErrors } from '#kernel/system'
import { readTime } from '../contract.ts'
import { readPageLimit } from './page-size-policy.ts'

interface AffectedQuery {
  readonly prefix?: string
  readonly key?: string
  readonly local_data_set_id?: string
  readonly limit?: string
  readonly key_marker?: string
  readonly version_marker?: string
  readonly created_at_marker?: string
  readonly stale_before?: string
}

interface AffectedFilter {
  readonly prefix?: string
  readonly key?: string
  readonly dataSetId?: number
  readonly limit: number
  readonly after?: { readonly key: string; readonly versionId: string }
  readonly staleBeforeMs: number
}

/** Older observations than `freshMs` are stale. Throws `invalid_request` for filters that exclude each other, an incomplete page marker, and invalid times or ids. */
export function readAffectedQuery(query: AffectedQuery, { nowMs, freshMs }: { nowMs: number; freshMs: number }): AffectedFilter {
  const { prefix = '', key = '', local_data_set_id: dataSet } = query
  if (prefix !== '' && key !== '') throw refuse('prefix and key cannot be used together')
  if (dataSet !== undefined && !isRowId(dataSet)) throw refuse('local_data_set_id must be a positive integer below 2^53')
  const after = readPlace(query)
  return {
    ...(prefix === '' ? {} : { prefix }),
    ...(key === '' ? {} : { key }),
    ...(dataSet === undefined ? {} : { dataSetId: Number(dataSet) }),
    ...(after && { after }),
    limit: readPageLimit(query.limit),
    staleBeforeMs: query.stale_before === undefined ? nowMs - freshMs : requireTime('stale_before', query.stale_before),
  }
}

const isRowId = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text))

function readPlace(query: AffectedQuery): AffectedFilter['after'] {
  const { key_marker: key, version_marker: versionId, created_at_marker: createdAt, stale_before: staleBefore } = query
  if (key === undefined && versionId === undefined && createdAt === undefined) return undefined
  if (key === undefined || versionId === undefined || createdAt === undefined || staleBefore === undefined) {
    throw refuse('key_marker, version_marker, created_at_marker and stale_before belong together')
  }
  requireTime('created_at_marker', createdAt)
  return { key, versionId }
}

function requireTime(name: string, text: string): number {
  const timeMs = readTime(text)
  if (timeMs === undefined) throw refuse(`${name} must be an RFC 3339 time`)
  return timeMs
}

const refuse = (message: string) => kernelErrors.invalid_request({ message: `${message}.` })
