/** Query of the list of affected versions. */
import { kernelErrors } from '#kernel'

export interface AffectedQuery {
  readonly prefix?: string
  readonly key?: string
  readonly local_data_set_id?: string
  readonly limit?: string
  readonly key_marker?: string
  readonly version_marker?: string
  readonly created_at_marker?: string
  readonly stale_before?: string
}

export interface AffectedFilter {
  readonly prefix?: string
  readonly key?: string
  readonly dataSetId?: number
  readonly limit: number
  readonly after?: { readonly key: string; readonly versionId: string }
  readonly staleBeforeMs: number
}

const pageSizes = { usual: 50, max: 1000 } as const
/** Older observations are stale. */
const freshMs = 10 * 60_000

/** Throws `invalid_request` for filters that exclude each other, an incomplete page marker, and invalid times or ids. */
export function readAffectedQuery(query: AffectedQuery, nowMs: number): AffectedFilter {
  const { prefix = '', key = '', local_data_set_id: dataSet } = query
  if (prefix !== '' && key !== '') throw refuse('prefix and key cannot be used together')
  if (dataSet !== undefined && !isRowId(dataSet)) throw refuse('local_data_set_id must be a positive integer below 2^53')
  const after = readPlace(query)
  return {
    ...(prefix === '' ? {} : { prefix }),
    ...(key === '' ? {} : { key }),
    ...(dataSet === undefined ? {} : { dataSetId: Number(dataSet) }),
    ...(after && { after }),
    limit: readLimit(query.limit),
    staleBeforeMs: query.stale_before === undefined ? nowMs - freshMs : readTime('stale_before', query.stale_before),
  }
}

const isRowId = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text))

function readPlace(query: AffectedQuery): AffectedFilter['after'] {
  const { key_marker: key, version_marker: versionId, created_at_marker: createdAt, stale_before: staleBefore } = query
  if (key === undefined && versionId === undefined && createdAt === undefined) return undefined
  if (key === undefined || versionId === undefined || createdAt === undefined || staleBefore === undefined) {
    throw refuse('key_marker, version_marker, created_at_marker and stale_before belong together')
  }
  readTime('created_at_marker', createdAt)
  return { key, versionId }
}

/** A limit above the maximum is cut to it. */
function readLimit(text: string | undefined): number {
  const size = Number(text)
  return Number.isInteger(size) && size >= 1 ? Math.min(size, pageSizes.max) : pageSizes.usual
}

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/

function readTime(name: string, text: string): number {
  const timeMs = timestamp.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(timeMs)) throw refuse(`${name} must be an RFC 3339 time`)
  return timeMs
}

const refuse = (message: string) => kernelErrors.invalid_request({ message: `${message}.` })
