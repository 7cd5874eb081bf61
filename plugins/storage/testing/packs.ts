import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expectedBlobs } from '../catalog/cached/cache-entry-store.ts'
import { definePackCollector, memberDigestBytes, type PackCollector, type PlacedMember } from '../contract.ts'
import type { ObjectStorage } from './object-storage.ts'

/** Takes all contents up to this size. */
export const collectUpTo = (bytes: number): PackCollector =>
  definePackCollector({ name: 'test', uses: {}, collects: async (_services, _tx, { size }) => size <= bytes })

/** Packs all that waits in the first bucket, each member behind its SHA-256. Returns the content id of the pack, and its bytes. */
export async function packAll({ packs, database, cache }: ObjectStorage, bucketId = 1): Promise<TestPack | undefined> {
  const written: Uint8Array[] = []
  const members = await packs.listWaiting(database.read, { bucketId, after: 0, limit: 1000 })
  const placed: PlacedMember[] = []
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    let at = 0
    for (const { contentId, sha256, length } of members) {
      const bytes = await cachedBytes(contentId)
      if (bytes.length !== length || createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('wrong cached bytes')
      yield Buffer.from(sha256, 'hex')
      yield bytes
      placed.push({ contentId, offset: at + memberDigestBytes })
      at += memberDigestBytes + length
    }
    // The smallest piece.
    yield Buffer.alloc(128)
  }
  const cachedBytes = async (contentId: number): Promise<Uint8Array> => {
    const parts = await Promise.all((await expectedBlobs(database.read, contentId)).map((blob) => cache.locate(blob)))
    return Buffer.concat(parts.map((part) => part?.bytes ?? readFileSync(part?.path ?? '')))
  }
  async function* recorded(): AsyncGenerator<Uint8Array, void, void> {
    for await (const block of body()) {
      written.push(Buffer.from(block))
      yield block
    }
  }
  const packId = await packs.create({ bucketId, body: recorded(), members: () => placed })
  return packId === undefined ? undefined : { packId, bytes: Buffer.concat(written) }
}

interface TestPack {
  readonly packId: number
  readonly bytes: Uint8Array
}
