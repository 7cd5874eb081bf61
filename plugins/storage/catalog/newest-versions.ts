import { BoundedMap, type Database } from '#kernel'
import type { ObjectVersion } from '../contract.ts'
import { type LocatedVersion, locateVersion } from './location-store.ts'
import { findVersion } from './version-store.ts'

/** A version with its metadata takes 1 KiB, at most 8 KiB. */
const keptMax = 4096

interface Kept {
  readonly version: ObjectVersion
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

  /** Like `find`, with the cached files. */
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
    if (at === undefined || at !== this.#database.commits?.()) return
    if (at !== this.#keptAt) {
      this.#kept.clear()
      this.#keptAt = at
    }
    this.#kept.set(idOf(bucketId, key), kept)
  }
}

const idOf = (bucketId: number, key: string): string => `${bucketId}/${key}`
