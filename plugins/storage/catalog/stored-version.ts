import type { ObjectHeaders, ObjectVersion } from '../contract.ts'

/** A row of `object_versions` with the column names of the table. */
export interface VersionRow {
  readonly bucket_id: number
  readonly key: string
  readonly rseq: number
  readonly version_id: string
  readonly content_id: number | null
  readonly is_delete_marker: number
  readonly size: number
  readonly etag: string
  readonly content_type: string
  /** JSON objects; null means empty. Also the next two. */
  readonly headers: string | null
  readonly user_metadata: string | null
  readonly checksums: string | null
  readonly created_at: number
}

type Texts = Readonly<Record<string, string>>
const none: Texts = Object.freeze({})

/** An object version backed by its row. The JSON columns are parsed on the first read of `headers`. */
export class StoredVersion implements ObjectVersion {
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
    this.bucketId = row.bucket_id
    this.key = row.key
    this.versionId = row.version_id
    this.isDeleteMarker = row.is_delete_marker === 1
    this.isCurrent = isCurrent
    this.contentId = row.content_id
    this.size = row.size
    this.etag = row.etag
    this.createdAtMs = row.created_at
    this.#row = row
  }

  get headers(): ObjectHeaders {
    this.#headers ??= {
      contentType: this.#row.content_type,
      system: parseTexts(this.#row.headers),
      user: parseTexts(this.#row.user_metadata),
      checksums: parseTexts(this.#row.checksums),
    }
    return this.#headers
  }
}

const parseTexts = (json: string | null): Texts => (json === null ? none : (JSON.parse(json) as Texts))

/** JSON for a column; null for an empty object. */
export function formatTexts(texts: Texts): string | null {
  for (const _ in texts) return JSON.stringify(texts)
  return null
}
