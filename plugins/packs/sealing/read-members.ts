import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Database } from '#kernel'
import type { CachedContents, CachedFile, Packs, WaitingMember } from '#plugins/storage'
import { encodeEntry } from '../segment/segment-index.ts'
import { recordHeadBytes } from '../segment/segment-layout.ts'
import type { NewRecord } from '../segment/segment-writer.ts'
import { bytesInDatabase, indexedOf, versionsOf } from './member-store.ts'

/** Contents looked up by one statement. */
const membersPerRead = 500

interface ReadDeps {
  readonly database: Pick<Database, 'read'>
  readonly packs: Pick<Packs, 'listWaiting'>
  readonly cached: Pick<CachedContents, 'locate'>
}

interface Wanted {
  readonly bucketId: number
  /** The members and what the segment adds to each have at most this many bytes. */
  readonly bytesMax: number
  readonly membersMax: number
  /** About how much a segment adds to each member. */
  readonly memberOverheadBytes: number
  /** Called for a content whose cached bytes cannot be read, or are not its own. */
  onUnreadable(contentId: number): void
}

/** The records of the contents that wait, in order, up to the size of a pack. Each is compared with its SHA-256 (I-30). */
export async function* readMembers(deps: ReadDeps, wanted: Wanted): AsyncGenerator<NewRecord, void, void> {
  const { read } = deps.database
  let bytesLeft = wanted.bytesMax
  for await (const page of pagesOf(deps, wanted)) {
    const ids = page.map(({ contentId }) => contentId)
    const [small, versions] = await Promise.all([bytesInDatabase(read, ids), versionsOf(read, ids)])
    for (const member of page) {
      const { contentId: content, sha256 } = member
      const bytes = await readBytes(deps, member, small.get(content))
      if (!bytes) {
        wanted.onUnreadable(content)
        continue
      }
      const record = { content, sha256, bytes, ...indexedOf(versions.get(content)) }
      bytesLeft -= bytes.length + Math.max(wanted.memberOverheadBytes, overheadOf(record))
      // Long keys, metadata and tags must not make the pack larger than its providers take.
      if (bytesLeft < 0) return
      yield record
    }
  }
}

/** The index is compressed, so this is the most that a record adds. */
const overheadOf = ({ bytes, ...entry }: NewRecord): number =>
  recordHeadBytes + Buffer.byteLength(encodeEntry({ ...entry, offset: 0, length: bytes.length }))

/** The contents that have room in the pack. One that does not fit ends it: it is the first of the next pack. */
async function* pagesOf(
  { database, packs }: ReadDeps,
  { bucketId, bytesMax, membersMax, memberOverheadBytes }: Wanted,
): AsyncGenerator<readonly WaitingMember[], void, void> {
  let bytesLeft = bytesMax
  for (let [after, membersLeft] = [0, membersMax]; membersLeft > 0; ) {
    const page = await packs.listWaiting(database.read, { bucketId, after, limit: Math.min(membersPerRead, membersLeft) })
    const fitting = page.filter(({ length }) => {
      bytesLeft -= length + memberOverheadBytes
      return bytesLeft >= 0
    })
    if (fitting.length > 0) yield fitting
    const last = page.at(-1)
    if (last === undefined || bytesLeft < 0) return
    after = last.contentId
    membersLeft -= page.length
  }
}

async function readBytes(
  { cached }: Pick<ReadDeps, 'cached'>,
  { contentId, length, sha256 }: WaitingMember,
  small: Uint8Array | undefined,
): Promise<Uint8Array | undefined> {
  const isWhole = (bytes: Uint8Array) => bytes.length === length && hash('sha256', bytes) === sha256
  if (small && isWhole(small)) return small
  const file = await cached.locate(contentId)
  if (!file) return undefined
  const bytes = await readSegments(file)
  return bytes && isWhole(bytes) ? bytes : undefined
}

/** The process or the machine has too little of something: the file may be whole. */
const exhausted = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOBUFS']

/** Returns undefined for a file that is gone or that its disk cannot read: one content must not keep those of its bucket waiting. */
async function readSegments({ segments }: CachedFile): Promise<Buffer | undefined> {
  try {
    return Buffer.concat(await Promise.all(segments.map(({ bytes, path }) => bytes ?? readFile(path))))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || exhausted.includes(code)) throw error
    return undefined
  }
}
