import type { Reader } from '#kernel'
import { type Cursor, listVersionRows, rseqMin } from '../catalog/versions/history-store.ts'
import { compareKeys, groupOf, justAfter, successorOf } from '../catalog/versions/key-order-policy.ts'
import { StoredVersion, type VersionRow } from '../catalog/versions/stored-version.ts'
import type { ListedVersion, ListVersionsRequest, VersionPage } from '../contract.ts'
import { rseqAfter } from './list-history.ts'

/** One page of the versions of a bucket. One query per common prefix, and one per page of versions without. */
export function listVersions(read: Reader, bucketId: number, request: Omit<ListVersionsRequest, 'bucket'>): Promise<VersionPage> {
  return new VersionListing(read, bucketId, request).run(request)
}

type Markers = Pick<ListVersionsRequest, 'keyMarker' | 'versionIdMarker'>

class VersionListing {
  readonly #read: Reader
  readonly #bucketId: number
  readonly #prefix: string
  readonly #delimiter: string
  readonly #limit: number
  readonly #high: string | undefined
  readonly #versions: ListedVersion[] = []
  readonly #commonPrefixes: string[] = []
  /** Key of the previous version: only the first version of a key is current. */
  #keyBefore: string | undefined
  #last: VersionPage['last']

  constructor(read: Reader, bucketId: number, { prefix = '', delimiter = '', limit }: Omit<ListVersionsRequest, 'bucket'>) {
    this.#read = read
    this.#bucketId = bucketId
    this.#prefix = prefix
    this.#delimiter = delimiter
    this.#limit = limit
    this.#high = successorOf(prefix)
  }

  async run(markers: Markers): Promise<VersionPage> {
    const isTruncated = await this.#collect(await this.#start(markers))
    const page = { versions: this.#versions, commonPrefixes: this.#commonPrefixes, isTruncated }
    return this.#last === undefined ? page : { ...page, last: this.#last }
  }

  /** Cursor before the first row of the page; undefined when the page must be empty. */
  async #start({ keyMarker = '', versionIdMarker }: Markers): Promise<Cursor | undefined> {
    if (keyMarker === '' || compareKeys(keyMarker, this.#prefix) < 0) return before(this.#prefix)
    const group = keyMarker.startsWith(this.#prefix) ? this.#groupOf(keyMarker) : undefined
    if (group !== undefined) return afterGroup(group)
    if (versionIdMarker === undefined) return before(justAfter(keyMarker))
    this.#keyBefore = keyMarker
    return { key: keyMarker, rseq: await rseqAfter(this.#read, { bucketId: this.#bucketId, key: keyMarker }, versionIdMarker) }
  }

  #groupOf(key: string): string | undefined {
    return this.#delimiter === '' ? undefined : groupOf(key, this.#prefix, this.#delimiter)
  }

  /** Returns true when the listing continues after the page. */
  async #collect(start: Cursor | undefined): Promise<boolean> {
    let cursor = start
    while (cursor !== undefined) {
      const rowLimit = this.#remaining()
      const rows = await listVersionRows(this.#read, { bucketId: this.#bucketId, after: cursor, high: this.#high }, rowLimit)
      const { isFull, group } = this.#take(rows)
      if (isFull) return true
      if (group === undefined && rows.length < rowLimit) return false
      cursor = group === undefined ? this.#cursorAfter(rows) : afterGroup(group)
    }
    return false
  }

  /** Adds rows to the page up to and including the first common prefix, or until the page is full. */
  #take(rows: readonly VersionRow[]): { readonly isFull: boolean; readonly group?: string } {
    for (const row of rows) {
      if (this.#remaining() === 1) return { isFull: true }
      const group = this.#groupOf(row.key)
      if (group !== undefined) {
        this.#commonPrefixes.push(group)
        this.#last = { key: group }
        return { isFull: false, group }
      }
      this.#versions.push(new StoredVersion(row, row.key !== this.#keyBefore))
      this.#keyBefore = row.key
      this.#last = { key: row.key, versionId: row.versionId }
    }
    return { isFull: false }
  }

  #cursorAfter(rows: readonly VersionRow[]): Cursor | undefined {
    const last = rows.at(-1)
    return last && { key: last.key, rseq: last.rseq }
  }

  /** Entries still to read: the limit plus one, which shows whether the page is the last. */
  #remaining(): number {
    return this.#limit + 1 - this.#versions.length - this.#commonPrefixes.length
  }
}

const before = (key: string): Cursor => ({ key, rseq: rseqMin })

function afterGroup(group: string): Cursor | undefined {
  const next = successorOf(group)
  return next === undefined ? undefined : before(next)
}
