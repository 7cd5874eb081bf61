/** What S3 promises about one versioned bucket, without storage: the expected side of the property tests. */
import { createHash } from 'node:crypto'

/** A version, or a delete marker when it has no bytes. */
export interface ModelVersion {
  readonly versionId: string
  readonly bytes: Buffer | undefined
  /** Has no quotes; is empty for a delete marker. */
  readonly etag: string
  /** User metadata `note`. */
  readonly note: string | undefined
}

export interface ModelUpload {
  readonly key: string
  readonly uploadId: string
  readonly note: string | undefined
  readonly parts: Map<number, Buffer>
}

/** Names a page of a list: everything after the marker. `afterId` needs `after`. */
export interface ModelPageRequest {
  readonly prefix: string
  readonly delimiter: string
  readonly after: string
  readonly afterId?: string | undefined
  readonly limit: number
}

interface Line<Entry> {
  readonly key: string
  readonly id: string
  readonly entry: Entry
}

/** Names are keys of entries, or common prefixes. */
export interface ModelPage<Entry> {
  readonly entries: readonly Entry[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** Last name of the page, with the id of its entry. */
  readonly last: { readonly name: string; readonly id: string | undefined } | undefined
}

export const partBytesMin = 5 * 1024 * 1024

export const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest()

/** Orders keys as S3. */
const byUtf8 = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

export class BucketModel {
  /** Versions by key, oldest first. A key without versions is absent. */
  readonly versions = new Map<string, ModelVersion[]>()
  /** Open uploads in order of their creation. */
  readonly uploads: ModelUpload[] = []

  current(key: string): ModelVersion | undefined {
    return this.versions.get(key)?.at(-1)
  }

  /** The current version with bytes. */
  live(key: string): ModelVersion | undefined {
    const current = this.current(key)
    return current?.bytes && current
  }

  find(key: string, versionId: string): ModelVersion | undefined {
    return this.versions.get(key)?.find((version) => version.versionId === versionId)
  }

  add(key: string, version: ModelVersion): void {
    const others = this.all().map(({ id }) => id)
    if (others.includes(version.versionId)) throw new Error(`the version id ${version.versionId} was given twice`)
    this.versions.set(key, [...(this.versions.get(key) ?? []), version])
  }

  put(key: string, bytes: Buffer, { versionId, note }: Pick<ModelVersion, 'versionId' | 'note'>): void {
    this.add(key, { versionId, bytes, etag: md5(bytes).toString('hex'), note })
  }

  mark(key: string, versionId: string): void {
    this.add(key, { versionId, bytes: undefined, etag: '', note: undefined })
  }

  /** The removed version. */
  remove(key: string, versionId: string): ModelVersion | undefined {
    const removed = this.find(key, versionId)
    const left = (this.versions.get(key) ?? []).filter((version) => version !== removed)
    if (left.length > 0) this.versions.set(key, left)
    else this.versions.delete(key)
    return removed
  }

  /** Closes the upload and adds the version. */
  complete({ key, uploadId, note, parts }: ModelUpload, numbers: readonly number[], versionId: string): ModelVersion {
    const pieces = numbers.map((number) => parts.get(number) ?? Buffer.alloc(0))
    const etag = `${md5(Buffer.concat(pieces.map(md5))).toString('hex')}-${pieces.length}`
    const version = { versionId, bytes: Buffer.concat(pieces), etag, note }
    this.add(key, version)
    this.close(uploadId)
    return version
  }

  close(uploadId: string): void {
    this.uploads.splice(
      this.uploads.findIndex((upload) => upload.uploadId === uploadId),
      1,
    )
  }

  get isEmpty(): boolean {
    return this.versions.size === 0
  }

  listObjects(request: ModelPageRequest) {
    const lines = [...this.versions.keys()].flatMap((key) => {
      const live = this.live(key)
      return live ? [{ key, id: '', entry: { key, version: live } }] : []
    })
    return pageOf(lines, request)
  }

  listVersions(request: ModelPageRequest) {
    return pageOf(this.all(), request)
  }

  listUploads(request: ModelPageRequest) {
    return pageOf(
      this.uploads.map((entry) => ({ key: entry.key, id: entry.uploadId, entry })),
      request,
    )
  }

  /** Newest first within a key. */
  all() {
    return [...this.versions].flatMap(([key, versions]) =>
      versions.toReversed().map((version, at) => ({ key, id: version.versionId, entry: { key, version, isLatest: at === 0 } })),
    )
  }
}

/** Keeps the order of lines with the same key. */
function pageOf<Entry>(lines: readonly Line<Entry>[], request: ModelPageRequest): ModelPage<Entry> {
  const { prefix, delimiter, after, afterId, limit } = request
  const ordered = lines.filter(({ key }) => key.startsWith(prefix)).sort((left, right) => byUtf8(left.key, right.key))
  const rolled: { readonly name: string; readonly line: Line<Entry> | undefined }[] = []
  for (const line of ordered) {
    const at = delimiter === '' ? -1 : line.key.indexOf(delimiter, prefix.length)
    if (at < 0) rolled.push({ name: line.key, line })
    else {
      const name = line.key.slice(0, at + delimiter.length)
      if (rolled.at(-1)?.name !== name) rolled.push({ name, line: undefined })
    }
  }
  const marked = afterId === undefined ? -1 : rolled.findIndex(({ name, line }) => name === after && line?.id === afterId)
  const rest = rolled.filter(({ name, line }, at) => byUtf8(name, after) > 0 || (line && name === after && marked >= 0 && at > marked))
  const shown = after === '' ? rolled.slice(0, limit) : rest.slice(0, limit)
  const last = shown.at(-1)
  return {
    entries: shown.flatMap(({ line }) => (line ? [line.entry] : [])),
    commonPrefixes: shown.flatMap(({ name, line }) => (line ? [] : [name])),
    isTruncated: limit > 0 && (after === '' ? rolled : rest).length > limit,
    last: last && { name: last.name, id: last.line?.id },
  }
}
