/** Parameters of the query that several operations read. */
import { invalidArgument } from './s3-error.ts'

export type Query = ReadonlyMap<string, string>

/** Parses a count such as max-keys in the query or a header: `fallback` when absent, at most `max`. Throws InvalidArgument. */
export function readCount(
  source: Pick<Query, 'get'>,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const text = source.get(name)
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,10}$/.test(text)) throw invalidArgument(name, text, `Argument ${name} must be an integer between 0 and 2147483647.`)
  return Math.min(Number(text), max)
}

/** The version ID, or undefined for the current version. Throws InvalidArgument. */
export function readVersionId(query: Query): string | undefined {
  const versionId = query.get('versionId')
  return versionId === undefined ? undefined : requireVersionId(versionId)
}

/** Whether a version can have this ID: a ULID, or `null` as for the versions of a bucket that was never versioned. */
export const isVersionId = (text: string): boolean => text === 'null' || /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)

/** Throws InvalidArgument. */
export function requireVersionId(versionId: string): string {
  if (!isVersionId(versionId)) throw invalidArgument('versionId', versionId, 'Invalid version id specified')
  return versionId
}

/** Most parts of one upload; also its highest part number. */
export const partsMax = 10_000

/** Returns undefined without a part number. Throws InvalidArgument. */
export function readPartNumber(query: Query): number | undefined {
  const text = query.get('partNumber')
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > partsMax) {
    throw invalidArgument('partNumber', text, `Part number must be an integer between 1 and ${partsMax}, inclusive`)
  }
  return Number(text)
}

/** Throws InvalidArgument, also without a part number. */
export function requirePartNumber(query: Query): number {
  const partNumber = readPartNumber(query)
  if (partNumber === undefined) throw invalidArgument('partNumber', '', 'This operation needs a part number.')
  return partNumber
}

/** Encoding of the keys in an answer: `url`, or undefined for none. Throws InvalidArgument. */
export function readEncodingType(query: Query): 'url' | undefined {
  const type = query.get('encoding-type')
  if (type === undefined || type === '') return undefined
  if (type !== 'url') throw invalidArgument('encoding-type', type, 'Invalid Encoding Method specified in Request.')
  return type
}
