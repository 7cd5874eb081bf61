import { BoundedMap, type Database } from '#kernel'
import type { ObjectVersion } from '../../contract.ts'
import { type LocatedVersion, locateVersion } from './location-store.ts'
import type { StoredVersion } from './stored-version.ts'
import { findVersion } from './version-store.ts'

/** Together at most 8 Mi characters of texts. Their parsed form takes the same again. */
const keptMax = 2048
/** Larger versions are not kept: a client chooses the size of its headers. */
export const keptLimits = { textLengthMax: 4096, blobsMax: 8 } as const

interface Kept {
  readonly version: StoredVersion
  readonly located?: LocatedVersion
}

/** The newest versions of the keys that were read since the last commit, so that reads of the same objects need no statement. */
export class NewestVersions {
  readonly #database: Pick<Database, 'read' | 'commits'>
  readonly #kept = new BoundedMap<string, Kept>(keptMax)
  #keptAt: number | undefined

  constructor(database: Pick<Database, 'read' | 'commits'>) {
    this.#database = database
  }

  async find(bucketId: number, key: string): Promise<ObjectVersion | undefined> {
    const kept = this.#recall(bucketId, key)
    if (kept) return kept.version
    const at = this.#database.commits?.()
    const version = await findVersion(this.#database.read, bucketId, key)
    if (version) this.#keep(version, { version }, at)
    return version
  }

  /** Finds what `find` does, with the cached files. */
  async locate(bucketId: number, key: string): Promise<LocatedVersion | undefined> {
    const kept = this.#recall(bucketId, key)
    if (kept?.located) return kept.located
    const at = this.#database.commits?.()
    const located = await locateVersion(this.#database.read, bucketId, key)
    if (located) this.#keep(located.version, { version: located.version, located }, at)
    return located
  }

  #recall(bucketId: number, key: string): Kept | undefined {
    if (this.#keptAt === undefined || this.#keptAt !== this.#database.commits?.()) return undefined
    return this.#kept.get(idOf(bucketId, key))
  }

  /** `at`: the number of commits before the read. After a further commit, it is not known whether the read has seen that one. */
  #keep({ bucketId, key }: ObjectVersion, kept: Kept, at: number | undefined): void {
    if (at === undefined || at !== this.#database.commits?.() || !isSmall(kept)) return
    if (at !== this.#keptAt) {
      this.#kept.clear()
      this.#keptAt = at
    }
    this.#kept.set(idOf(bucketId, key), kept)
  }
}

const isSmall = ({ version, located }: Kept): boolean =>
  version.textLength <= keptLimits.textLengthMax && (located?.blobs.length ?? 0) <= keptLimits.blobsMax

const idOf = (bucketId: number, key: string): string => `${bucketId}/${key}`
