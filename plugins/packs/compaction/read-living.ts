import { hash } from 'node:crypto'
import { type Database, SvcError } from '#kernel'
import type { Packs } from '#plugins/storage'
import { indexedOf, versionsOf } from '../sealing/member-store.ts'
import type { NewRecord } from '../segment/segment-writer.ts'
import { type LivingMember, livingMembers } from './compaction-store.ts'

/** Members that are read at once, and looked up by one statement. */
const membersPerRead = 500
/** Members with a larger gap of dead bytes between them are read separately. */
const gapBytesMax = 1024 * 1024
/** Bytes of members that are read at once. */
const runBytesMax = 16 * 1024 * 1024

interface ReadDeps {
  readonly database: Pick<Database, 'read'>
  readonly packs: Pick<Packs, 'open'>
}

/** A member of a pack has other bytes than its own, or none can be read now. */
export class UnreadablePack extends Error {
  readonly packId: number

  constructor(message: string, { packId, ...options }: ErrorOptions & { readonly packId: number }) {
    super(message, options)
    this.packId = packId
  }
}

/** The records of the members that are left in these packs. Each is compared with its SHA-256 (I-31). @throws UnreadablePack */
export async function* readLiving(deps: ReadDeps, packIds: readonly number[]): AsyncGenerator<NewRecord, void, void> {
  const { read } = deps.database
  for (const packId of packIds) {
    for (let after = 0; ; ) {
      const page = await livingMembers(read, packId, after, membersPerRead)
      const last = page.at(-1)
      if (last === undefined) break
      after = last.offset
      const versions = await versionsOf(
        read,
        page.map(({ contentId }) => contentId),
      )
      for (const run of runsOf(page)) {
        for await (const { contentId: content, sha256, bytes } of readRun(deps, packId, run)) {
          yield { content, sha256, bytes, ...indexedOf(versions.get(content)) }
        }
      }
    }
  }
}

/** Members that stand close to each other. */
function runsOf(members: readonly LivingMember[]): readonly (readonly LivingMember[])[] {
  const runs: LivingMember[][] = []
  let [start, end] = [0, 0]
  for (const member of members) {
    const next = member.offset + member.length
    const run = runs.at(-1)
    if (run && member.offset - end <= gapBytesMax && next - start <= runBytesMax) run.push(member)
    else {
      runs.push([member])
      start = member.offset
    }
    end = next
  }
  return runs
}

async function* readRun(
  { packs }: Pick<ReadDeps, 'packs'>,
  packId: number,
  run: readonly LivingMember[],
): AsyncGenerator<LivingMember & { readonly bytes: Buffer }, void, void> {
  const [first, last] = [run[0], run.at(-1)]
  if (!first || !last) return
  const bytes = await readRange({ packs }, packId, { start: first.offset, end: last.offset + last.length - 1 })
  for (const member of run) {
    const from = member.offset - first.offset
    const own = bytes.subarray(from, from + member.length)
    if (own.length !== member.length || hash('sha256', own) !== member.sha256) {
      throw new UnreadablePack(`member ${member.contentId} of pack ${packId} has other bytes than its own`, { packId })
    }
    yield { ...member, bytes: own }
  }
}

async function readRange(
  { packs }: Pick<ReadDeps, 'packs'>,
  packId: number,
  range: { readonly start: number; readonly end: number },
): Promise<Buffer> {
  try {
    await using pack = await packs.open(packId)
    const blocks: Uint8Array[] = []
    for await (const block of pack.read(range)) blocks.push(block)
    return Buffer.concat(blocks)
  } catch (cause) {
    if (!(cause instanceof SvcError) || cause.code !== 'content_unavailable') throw cause
    throw new UnreadablePack(`pack ${packId} cannot be read now: ${cause.message}`, { packId, cause })
  }
}
