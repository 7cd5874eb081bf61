/** The rules of tags of objects and buckets. */
import { percentDecode } from './percent-encoding.ts'
import { invalidArgument, S3Error } from './s3-error.ts'

export interface Tag {
  readonly key: string
  readonly value: string
}

export type Tags = Readonly<Record<string, string>>

export const objectTagsMax = 10
export const bucketTagsMax = 50
const keyLengthMax = 128
const valueLengthMax = 256
const allowed = /^[\p{L}\p{N}\p{Zs}_.:/=+\-@]*$/u

export function checkTags(tags: readonly Tag[], { max }: { readonly max: number }): Tags {
  if (tags.length > max) throw new S3Error('BadRequest', { message: `${tags.length} tags are too many: at most ${max} are allowed.` })
  const seen = new Set<string>()
  for (const { key, value } of tags) {
    const problem = problemOf(key, value) ?? (seen.has(key) ? 'its key is named twice' : undefined)
    if (problem !== undefined) throw invalidTag(key, value, problem)
    seen.add(key)
  }
  // fromEntries defines own properties, so the key __proto__ is safe.
  return Object.fromEntries(tags.map(({ key, value }) => [key, value]))
}

function problemOf(key: string, value: string): string | undefined {
  if (key === '') return 'its key is empty'
  if (key.length > keyLengthMax) return `its key is longer than ${keyLengthMax} characters`
  if (value.length > valueLengthMax) return `its value is longer than ${valueLengthMax} characters`
  if (key.toLowerCase().startsWith('aws:')) return 'keys that begin with aws: are reserved'
  if (!allowed.test(key) || !allowed.test(value)) return 'only letters, digits, spaces and _.:/=+-@ are allowed'
  return undefined
}

const invalidTag = (key: string, value: string, problem: string): S3Error =>
  new S3Error('InvalidTag', { message: `The tag is not valid: ${problem}.`, extras: { TagKey: key, TagValue: value } })

const header = 'x-amz-tagging'

/** Reads the header of the same form as a query; undefined without it. Throws InvalidArgument, InvalidTag or BadRequest. */
export function readTaggingHeader(headers: { get(name: string): string | undefined }): Tags | undefined {
  const text = headers.get(header)
  if (text === undefined) return undefined
  const tags = text.split('&').flatMap((part) => (part === '' ? [] : [readPair(part, text)]))
  if (new Set(tags.map(({ key }) => key)).size < tags.length) throw malformedHeader(text)
  return checkTags(tags, { max: objectTagsMax })
}

function readPair(part: string, text: string): Tag {
  const equals = part.indexOf('=')
  const [key, value] = [equals < 0 ? part : part.slice(0, equals), equals < 0 ? '' : part.slice(equals + 1)].map((one) =>
    percentDecode(one, { plusIsSpace: true }),
  )
  if (key === undefined || value === undefined) throw malformedHeader(text)
  return { key, value }
}

const malformedHeader = (text: string): S3Error =>
  invalidArgument(header, text, `The header '${header}' must be encoded as UTF-8, then as a URL query, and name each tag once.`)

/** Sorted by key. */
export function listTags(tags: Tags): Tag[] {
  return Object.entries(tags)
    .map(([key, value]) => ({ key, value }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))
}
