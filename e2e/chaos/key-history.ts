/** What a client may expect of one key: the versions it was told of, and what an unanswered request may have changed. */
import { createHash } from 'node:crypto'

export interface KnownVersion {
  readonly versionId: string
  /** Null for a delete marker. */
  readonly bytes: Buffer | null
}

/** A version as a listing names it. */
export interface SeenVersion {
  readonly versionId: string
  readonly isDeleteMarker: boolean
  /** MD5 in hex, of everything that is put in one request. */
  readonly etag: string
}

/** A change whose answer was not heard: it happened or it did not. */
export type Unheard =
  | { readonly kind: 'added'; readonly bytes: Buffer | null }
  | { readonly kind: 'removed'; readonly versionIds: readonly string[] }

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Versions newest first. One writer at a time. */
export class KeyHistory {
  readonly key: string
  #versions: readonly KnownVersion[] = []
  #unheard: Unheard | undefined

  constructor(key: string) {
    this.key = key
  }

  get versions(): readonly KnownVersion[] {
    return this.#versions
  }

  get current(): KnownVersion | undefined {
    return this.#versions[0]
  }

  get isUnsure(): boolean {
    return this.#unheard !== undefined
  }

  added(version: KnownVersion): void {
    this.#versions = [version, ...this.#versions]
  }

  removed(versionIds: readonly string[]): void {
    this.#versions = this.#versions.filter(({ versionId }) => !versionIds.includes(versionId))
  }

  unheard(change: Unheard): void {
    this.#unheard = change
  }

  /** Compares with what the gateway lists, and takes over what an unanswered request did. What is wrong; empty when nothing is. */
  reconcile(seen: readonly SeenVersion[]): readonly string[] {
    const before = this.#versions
    const after = this.#unheard ? applied(before, this.#unheard, seen) : undefined
    const match = [before, after].find((versions) => versions !== undefined && isSame(versions, seen))
    this.#unheard = undefined
    if (match) {
      this.#versions = match
      return []
    }
    const names = (versions: readonly { readonly versionId: string }[]) => versions.map(({ versionId }) => versionId).join(' ') || 'none'
    return [`${this.key} lists the versions ${names(seen)} instead of ${names(before)}${after ? ` or ${names(after)}` : ''}`]
  }
}

function applied(versions: readonly KnownVersion[], change: Unheard, seen: readonly SeenVersion[]): readonly KnownVersion[] {
  if (change.kind === 'removed') return versions.filter(({ versionId }) => !change.versionIds.includes(versionId))
  const versionId = seen.find((version) => !versions.some((known) => known.versionId === version.versionId))?.versionId
  return versionId === undefined ? versions : [{ versionId, bytes: change.bytes }, ...versions]
}

function isSame(known: readonly KnownVersion[], seen: readonly SeenVersion[]): boolean {
  return (
    known.length === seen.length &&
    known.every(({ versionId, bytes }, index) => {
      const version = seen[index]
      return version?.versionId === versionId && (bytes === null ? version.isDeleteMarker : version.etag === md5(bytes))
    })
  )
}
