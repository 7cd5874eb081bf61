import { newUlid } from '#kernel'
import type { WrittenBlob } from '../cache/blobs/blob-writer.ts'
import type { Reservation } from '../cache/capacity/reservation.ts'
import { bucketNotFound } from '../catalog/buckets/bucket-not-found.ts'
import { hasStats } from '../catalog/buckets/bucket-store.ts'
import { attachBytes, identityOf, identityOfParts } from '../catalog/references/attach-bytes.ts'
import { attachComposite } from '../catalog/references/composite-store.ts'
import { addHeldPart } from '../catalog/references/held-part-store.ts'
import { lentBytesMin, type ObjectVersion } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { BodyParts } from './body-parts.ts'
import { commitBytes, commitVersion } from './commit-put.ts'
import { dropHeldParts, type HeldPartDeps, holdParts, objectPartsMax } from './held-parts.ts'
import { type Put, refuseBytes, refuseEnd } from './put-checks.ts'
import { commitOne, type PutOneDeps, putEmpty } from './put-one.ts'
import { putProbes } from './put-probes.ts'
import { type RoomDeps, waitForRoom } from './wait-for-room.ts'

export type PutPartsDeps = PutOneDeps & HeldPartDeps & RoomDeps

/**
 * A body of several contents. Each is written, synced and committed like an object, held by this put, so that it is copied and may be
 * evicted while the next ones arrive: the object may be larger than the cache. The last transaction makes the composite and the version.
 * On an error the parts are dropped; after a crash the next start drops them.
 */
export async function putParts(deps: PutPartsDeps, put: Put): Promise<ObjectVersion> {
  const upload = new PartUpload(deps, put, await BodyParts.of(put.request))
  using _ = holdParts(upload.holder)
  try {
    for (;;) {
      const version = (await upload.hasMore()) ? await upload.addPart() : await upload.finish()
      if (version) return version
    }
  } catch (error) {
    await upload.drop()
    throw error
  } finally {
    await upload.close()
  }
}

interface Part {
  readonly size: number
  readonly sha256: string
}

class PartUpload {
  readonly #deps: PutPartsDeps
  readonly #put: Put
  readonly holder = newUlid(Date.now())
  readonly #body: BodyParts
  readonly #parts: Part[] = []
  #held = 0

  constructor(deps: PutPartsDeps, put: Put, body: BodyParts) {
    this.#deps = deps
    this.#put = put
    this.#body = body
  }

  hasMore(): Promise<boolean> {
    return this.#body.hasMore()
  }

  close(): Promise<void> {
    return this.#body.close()
  }

  /** Returns the version when the whole body is one part, which then is the content. */
  async addPart(): Promise<ObjectVersion | undefined> {
    const { bytesMax } = this.#deps.parts
    const { request, limits } = this.#put
    const { size: declared, signal } = request
    if (this.#parts.length >= objectPartsMax) {
      const message = `an object has at most ${objectPartsMax} parts of ${bytesMax} bytes`
      throw storageErrors.entity_too_large({ message, details: { bytesMax: objectPartsMax * bytesMax } })
    }
    const offset = this.#body.size
    const expected = declared === undefined ? undefined : Math.min(bytesMax, declared - offset)
    using reservation = await this.#whenRoom(() => this.#deps.cache.reserveArriving({ size: expected, user: request.user }))
    await putProbes.reserved()
    const blob = await this.#deps.cache.write({
      body: this.#body.next(bytesMax),
      // The chunks are views of lent ones.
      ...(expected !== undefined && { size: Math.max(expected, lentBytesMin) }),
      onBytes: (total) => {
        refuseBytes(offset + total, declared, limits)
        return this.#cover(reservation, total)
      },
      // The digests of the whole body are checked at its end.
      onEnd: () => {},
      signal,
      probes: putProbes,
    })
    if (offset === 0 && (await this.#isWhole(blob))) return await this.#commitOnly({ ...blob, ...this.#body.digests.finish() }, reservation)
    await this.#hold(blob, reservation, offset)
    this.#parts.push(blob)
    return undefined
  }

  async #isWhole(blob: WrittenBlob): Promise<boolean> {
    try {
      return !(await this.#body.hasMore())
    } catch (error) {
      await this.#deps.cache.discard([blob])
      throw error
    }
  }

  async #commitOnly(blob: WrittenBlob, reservation: Reservation): Promise<ObjectVersion> {
    const { request, limits } = this.#put
    let checksums: Readonly<Record<string, string>>
    try {
      refuseEnd(blob.size, request.size, limits)
      checksums = request.verify?.(blob) ?? {}
    } catch (error) {
      await this.#deps.cache.discard([blob])
      throw error
    }
    return commitOne(this.#deps, this.#put, { ...blob, checksums }, { blob, reservation })
  }

  async #hold(blob: WrittenBlob, reservation: Reservation, offset: number): Promise<void> {
    const { onNewContent, clock, cache } = this.#deps
    const { bucket } = this.#put
    const [holder, partNo, nowMs] = [this.holder, this.#parts.length, clock.now()]
    // The row may be durable although the commit failed.
    this.#held += 1
    const { redundant } = await commitBytes(this.#deps, { blob, reservation }, async (tx) => {
      if (!(await hasStats(tx, bucket.id))) throw bucketNotFound(bucket.name)
      const attached = await attachBytes(tx, { bucket, size: blob.size, sha256: blob.sha256, blob, nowMs, isHold: true })
      const { content } = attached
      await addHeldPart(tx, { holder, partNo, contentId: content.id, offset, length: blob.size, epoch: blob.epoch })
      await onNewContent?.(tx, content)
      return attached
    })
    await putProbes.partCommitted()
    await cache.discard(redundant)
  }

  async finish(): Promise<ObjectVersion> {
    const { request, bucket, limits, copied } = this.#put
    if (this.#parts.length === 0) return putEmpty(this.#deps, { ...this.#put, request: { ...request, body: nothing() } })
    const { size } = this.#body
    refuseEnd(size, request.size, limits)
    const digests = this.#body.digests.finish()
    const checksums = request.verify?.(digests) ?? {}
    await putProbes.committing()
    const nowMs = this.#deps.clock.now()
    const { version } = await commitVersion(this.#deps, { ...request, bucket, checksums }, undefined, {
      size,
      etag: digests.md5,
      ...copied,
      nowMs,
      attach: async (tx) => ({
        content: await attachComposite(tx, {
          bucketId: bucket.id,
          identity: identityOfParts(this.#parts.map((part) => ({ identity: identityOf(part.sha256), size: part.size }))),
          size,
          partCount: this.#parts.length,
          targetCopies: bucket.defaultCopies,
          holder: this.holder,
          nowMs,
        }),
        needsCopies: [],
        addedBytes: 0,
        redundant: [],
      }),
    })
    await putProbes.committed()
    return version
  }

  /** Best effort: what cannot be dropped now is dropped by the next `Uploads.expire`, or the next start. */
  async drop(): Promise<void> {
    if (this.#held === 0) return
    try {
      await dropHeldParts(this.#deps, this.holder)
    } catch (error) {
      this.#deps.log.warn('parts of a failed put not dropped; will retry within an hour', { holder: this.holder, error })
    }
  }

  #cover(reservation: Reservation, total: number): Promise<void> | undefined {
    const refused = reservation.cover(total)
    return refused?.catch((error) => this.#whenRoom(() => reservation.cover(total), error))
  }

  /** The first part is refused like any object. Later ones wait until earlier ones are copied and evicted. */
  #whenRoom<T>(attempt: () => T | Promise<T>, refusal?: unknown): Promise<T> {
    const isFirst = this.#parts.length === 0
    if (isFirst && refusal !== undefined) throw refusal
    if (isFirst) return Promise.resolve(attempt())
    return waitForRoom(this.#deps, { attempt, signal: this.#put.request.signal })
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}
