/** The expected versions of one key: acknowledged ones, and the possible effect of an unanswered request. */
import type { Body } from '../fixtures/body.ts'

interface KnownVersion {
  readonly versionId: string
  /** Null for a delete marker. */
  readonly body: Body | null
}

export interface SeenVersion {
  readonly versionId: string
  readonly isDeleteMarker: boolean
  /** Has no quotes. */
  readonly etag: string
}

/** A change without an answer: it took effect completely or not at all. */
export type UnansweredChange =
  | { readonly kind: 'added'; readonly body: Body | null }
  | { readonly kind: 'removed'; readonly versionIds: readonly string[] }

/** Versions newest first. One writer at a time. */
export class KeyHistory {
  readonly key: string
  #versions: readonly KnownVersion[] = []
  #unanswered: UnansweredChange | undefined

  constructor(key: string) {
    this.key = key
  }

  get versions(): readonly KnownVersion[] {
    return this.#versions
  }

  get current(): KnownVersion | undefined {
    return this.#versions[0]
  }

  get hasUnanswered(): boolean {
    return this.#unanswered !== undefined
  }

  added(version: KnownVersion): void {
    this.#versions = [version, ...this.#versions]
  }

  removed(versionIds: readonly string[]): void {
    this.#versions = this.#versions.filter(({ versionId }) => !versionIds.includes(versionId))
  }

  recordUnanswered(change: UnansweredChange): void {
    this.#unanswered = change
  }

  /** Compares with the listing and adopts the effect of an unanswered request. Returns problems; empty when the listing is as expected. */
  reconcile(seen: readonly SeenVersion[]): readonly string[] {
    const before = this.#versions
    const after = this.#unanswered ? applied(before, this.#unanswered, seen) : undefined
    const match = [before, after].find((versions) => versions !== undefined && isSame(versions, seen))
    this.#unanswered = undefined
    if (match) {
      this.#versions = match
      return []
    }
    const names = (versions: readonly { readonly versionId: string }[]) => versions.map(({ versionId }) => versionId).join(' ') || 'none'
    return [`${this.key} lists the versions ${names(seen)} instead of ${names(before)}${after ? ` or ${names(after)}` : ''}`]
  }
}

function applied(versions: readonly KnownVersion[], change: UnansweredChange, seen: readonly SeenVersion[]): readonly KnownVersion[] {
  if (change.kind === 'removed') return versions.filter(({ versionId }) => !change.versionIds.includes(versionId))
  const versionId = seen.find((version) => !versions.some((known) => known.versionId === version.versionId))?.versionId
  return versionId === undefined ? versions : [{ versionId, body: change.body }, ...versions]
}

function isSame(known: readonly KnownVersion[], seen: readonly SeenVersion[]): boolean {
  return (
    known.length === seen.length &&
    known.every(({ versionId, body }, index) => {
      const version = seen[index]
      return version?.versionId === versionId && (body === null ? version.isDeleteMarker : version.etag === body.etag)
    })
  )
}
