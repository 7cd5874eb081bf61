import { createHash, type Hash } from 'node:crypto'
import type { Database } from '#kernel'
import { findMember } from '../catalog/packs/pack-store.ts'
import { type ByteRange, contentErrors, memberDigestBytes, type ObjectVersion, type OpenedObject, type PackRange } from '../contract.ts'
import type { OpenUncached } from './byte-sources.ts'

/** Opens members of packs as ranges of their packs, and other contents as they are. */
export const openMembers =
  ({ database }: { readonly database: Pick<Database, 'read'> }, openWhole: OpenUncached): OpenUncached =>
  async (version, contentId) => {
    const member = await findMember(database.read, contentId)
    return member ? openMember(version, member, openWhole) : openWhole(version, contentId)
  }

async function openMember(version: ObjectVersion, member: PackRange, openWhole: OpenUncached): Promise<OpenedObject> {
  const pack = await openWhole({ ...version, contentId: member.packId, size: member.packSize }, member.packId)
  return {
    version,
    source: pack.source,
    isProved: true,
    read: (range = { start: 0, end: member.length - 1 }, options) =>
      readMember(version, member, { start: range.start, end: Math.min(range.end, member.length - 1) }, (wanted) =>
        pack.read(wanted, { ...options, expectsMore: true }),
      ),
    [Symbol.asyncDispose]: () => pack[Symbol.asyncDispose](),
  }
}

/**
 * Reads from the SHA-256 before the member to the end of the range, and compares: the recorded SHA-256 before the first byte is returned, so
 * that a wrong place is refused, and that of the bytes before the last block of a whole member is (I-31).
 */
async function* readMember(
  version: ObjectVersion,
  member: PackRange,
  { start, end }: ByteRange,
  read: (range: ByteRange) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const digest = new PrefixedDigest(member)
  let position = 0
  for await (const block of read({ start: member.offset - memberDigestBytes, end: member.offset + end })) {
    const bytes = digest.add(block)
    if (digest.isWrong) throw damaged(version)
    const from = Math.max(0, start - position)
    position += bytes.length
    if (from < bytes.length) yield bytes.subarray(from)
  }
  if (position !== end + 1) throw damaged(version)
}

/** Compares the bytes of a member with the recorded SHA-256, and the 32 bytes before them. */
class PrefixedDigest {
  readonly #sha256: Buffer
  readonly #length: number
  readonly #hash: Hash = createHash('sha256')
  readonly #prefix = Buffer.alloc(memberDigestBytes)
  #prefixed = 0
  #hashed = 0
  isWrong = false

  constructor({ sha256, length }: PackRange) {
    this.#sha256 = Buffer.from(sha256, 'hex')
    this.#length = length
  }

  /** Returns the bytes behind the prefix. */
  add(block: Uint8Array): Uint8Array {
    const prefix = block.subarray(0, memberDigestBytes - this.#prefixed)
    this.#prefix.set(prefix, this.#prefixed)
    this.#prefixed += prefix.length
    if (prefix.length > 0 && this.#prefixed === memberDigestBytes) this.isWrong = !this.#prefix.equals(this.#sha256)
    const bytes = block.subarray(prefix.length)
    this.#hash.update(bytes)
    this.#hashed += bytes.length
    if (this.#hashed === this.#length && !this.#hash.digest().equals(this.#sha256)) this.isWrong = true
    return bytes
  }
}

const damaged = ({ key }: ObjectVersion): Error =>
  contentErrors.content_unavailable({
    message: `the bytes of '${key}' in its pack are not those that were stored; run svc doctor`,
    retryAfterSeconds: 10,
  })
