import type { Reader } from '#kernel'
import { listOpenUploads, type UploadPlaceInOrder } from '../catalog/uploads/upload-store.ts'
import { compareKeys, groupOf, successorOf } from '../catalog/versions/key-order-policy.ts'
import type { ListUploads, Upload, UploadPage } from '../contract.ts'

/** Sorts after every upload id, which are ULIDs. */
const afterAllIds = '~'

/** One page of the open uploads of a bucket. One query per common prefix, and one per page of uploads without. */
export function listUploads(read: Reader, bucketId: number, request: Omit<ListUploads, 'bucket'>): Promise<UploadPage> {
  return new UploadListing(read, bucketId, request).run(request)
}

class UploadListing {
  readonly #read: Reader
  readonly #bucketId: number
  readonly #prefix: string
  readonly #delimiter: string
  readonly #limit: number
  readonly #uploads: Upload[] = []
  readonly #commonPrefixes: string[] = []
  #last: UploadPage['last']

  constructor(read: Reader, bucketId: number, { prefix = '', delimiter = '', limit }: Omit<ListUploads, 'bucket'>) {
    this.#read = read
    this.#bucketId = bucketId
    this.#prefix = prefix
    this.#delimiter = delimiter
    this.#limit = limit
  }

  async run(request: Pick<ListUploads, 'afterKey' | 'afterUploadId'>): Promise<UploadPage> {
    const isTruncated = await this.#collect(this.#start(request))
    const page = { uploads: this.#uploads, commonPrefixes: this.#commonPrefixes, isTruncated }
    return this.#last === undefined ? page : { ...page, last: this.#last }
  }

  /** Place before the first upload of the page; undefined when the page must be empty. */
  #start({ afterKey = '', afterUploadId }: Pick<ListUploads, 'afterKey' | 'afterUploadId'>): UploadPlaceInOrder | undefined {
    if (afterKey === '' || compareKeys(afterKey, this.#prefix) < 0) return before(this.#prefix)
    const group = afterKey.startsWith(this.#prefix) ? this.#groupOf(afterKey) : undefined
    return group === undefined ? { key: afterKey, uploadId: afterUploadId ?? afterAllIds } : afterGroup(group)
  }

  #groupOf(key: string): string | undefined {
    return this.#delimiter === '' ? undefined : groupOf(key, this.#prefix, this.#delimiter)
  }

  /** Returns true when the listing continues after the page. */
  async #collect(start: UploadPlaceInOrder | undefined): Promise<boolean> {
    const high = successorOf(this.#prefix)
    let after = start
    while (after !== undefined) {
      const rowLimit = this.#remaining()
      const rows = await listOpenUploads(this.#read, { bucketId: this.#bucketId, after, high }, rowLimit)
      const { isFull, group } = this.#take(rows)
      if (isFull) return true
      if (group === undefined && rows.length < rowLimit) return false
      const last = rows.at(-1)
      after = group === undefined ? last && { key: last.key, uploadId: last.id } : afterGroup(group)
    }
    return false
  }

  /** Adds uploads to the page up to and including the first common prefix, or until the page is full. */
  #take(rows: readonly Upload[]): { readonly isFull: boolean; readonly group?: string } {
    for (const upload of rows) {
      if (this.#remaining() === 1) return { isFull: true }
      const group = this.#groupOf(upload.key)
      if (group !== undefined) {
        this.#commonPrefixes.push(group)
        this.#last = { key: group }
        return { isFull: false, group }
      }
      this.#uploads.push(upload)
      this.#last = { key: upload.key, uploadId: upload.id }
    }
    return { isFull: false }
  }

  /** Entries still to read: the limit plus one, which shows whether the page is the last. */
  #remaining(): number {
    return this.#limit + 1 - this.#uploads.length - this.#commonPrefixes.length
  }
}

const before = (key: string): UploadPlaceInOrder => ({ key, uploadId: '' })

function afterGroup(group: string): UploadPlaceInOrder | undefined {
  const next = successorOf(group)
  return next === undefined ? undefined : before(next)
}
