import type { ListedVersion, ObjectHeaders } from '../../contract.ts'

/** Columns of a VersionRow, of the table alias `v`. */
export const versionColumns = [
  'v.bucket_id as bucketId',
  'v.key',
  'v.rseq',
  'v.version_id as versionId',
  'v.content_id as contentId',
  'v.is_delete_marker as isDeleteMarker',
  'v.size',
  'v.etag',
  'v.content_type as contentType',
  'v.headers',
  'v.user_metadata as userMetadata',
  'v.checksums',
  'v.tags',
  'v.created_at as createdAtMs',
] as const

/** The same columns in an SQL text. */
export const versionColumnsSql = versionColumns.map((column) => column.replace(/ as (\w+)/, ' as "$1"')).join(', ')

export interface VersionRow {
  readonly bucketId: number
  readonly key: string
  readonly rseq: number
  readonly versionId: string
  readonly contentId: number | null
  readonly isDeleteMarker: number
  readonly size: number
  readonly etag: string
  readonly contentType: string
  /** JSON objects; null means empty. Also the next three. */
  readonly headers: string | null
  readonly userMetadata: string | null
  readonly checksums: string | null
  readonly tags: string | null
  readonly createdAtMs: number
}

type Texts = Readonly<Record<string, string>>
const none: Texts = Object.freeze({})

/** An object version backed by its row. The JSON columns are parsed on the first read of `headers`. */
export class StoredVersion implements ListedVersion {
  readonly bucketId: number
  readonly key: string
  readonly versionId: string
  readonly isDeleteMarker: boolean
  readonly isCurrent: boolean
  readonly contentId: number | null
  readonly size: number
  readonly etag: string
  readonly createdAtMs: number
  readonly #row: VersionRow
  #headers: ObjectHeaders | undefined

  constructor(row: VersionRow, isCurrent: boolean) {
    this.bucketId = row.bucketId
    this.key = row.key
    this.versionId = row.versionId
    this.isDeleteMarker = row.isDeleteMarker === 1
    this.isCurrent = isCurrent
    this.contentId = row.contentId
    this.size = row.size
    this.etag = row.etag
    this.createdAtMs = row.createdAtMs
    this.#row = row
  }

  /** Characters of the texts of variable length. */
  get textLength(): number {
    const { key, etag, contentType, headers, userMetadata, checksums, tags } = this.#row
    return [key, etag, contentType, headers, userMetadata, checksums, tags].reduce((length, text) => length + (text?.length ?? 0), 0)
  }

  get checksum(): string | null {
    return checksumName(this.#row.checksums)
  }

  get headers(): ObjectHeaders {
    this.#headers ??= headersOf(this.#row)
    return this.#headers
  }
}

/** Most reads need no checksums: they are parsed when they are first asked for. */
function headersOf({ contentType, headers, userMetadata, checksums, tags }: VersionRow): ObjectHeaders {
  const base = { contentType, system: parseTexts(headers), user: parseTexts(userMetadata) }
  // A getter would make each version of a list take five times as long.
  if (checksums === null && tags === null) return { ...base, checksums: none }
  let parsed: Texts | undefined
  return {
    ...base,
    get checksums() {
      parsed ??= parseTexts(checksums)
      return parsed
    },
    ...(tags !== null && { tags: parseTexts(tags) }),
  }
}

export const parseTexts = (json: string | null): Texts => (json === null ? none : (JSON.parse(json) as Texts))

/** Name in the JSON of checksums, which has one member: its algorithm, with `-` behind it for a composite one. Lists have no time to parse it. */
export function checksumName(json: string | null): string | null {
  return json && json.slice(2, json.indexOf('":')) + (json.includes('-') ? '-' : '')
}

/** JSON for a column; null for an empty object. */
export function formatTexts(texts: Texts): string | null {
  for (const _ in texts) return JSON.stringify(texts)
  return null
}
