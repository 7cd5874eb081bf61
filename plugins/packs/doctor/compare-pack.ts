import { type Reader, SvcError } from '#kernel'
import type { Finding } from '#kernel/system'
import type { Packs } from '#plugins/storage'
import { SegmentRefused } from '../segment/segment-layout.ts'
import { openSegment, type SegmentSource } from '../segment/segment-reader.ts'
import { type ComparedPack, membersByOffset } from './compared-pack-store.ts'

interface CompareDeps {
  readonly packs: Pick<Packs, 'open'>
  readonly read: Reader
}

/** Compares the rows of the members with the index in the bytes of the pack. */
export async function comparePack({ packs, read }: CompareDeps, pack: ComparedPack): Promise<readonly Finding[]> {
  try {
    const segment = await openSegment(sourceOf(packs, pack), pack.bucket)
    // Read after the footer: a member that is deleted since is no longer compared.
    const members = await membersByOffset(read, pack.id)
    for await (const { content, offset, length, sha256 } of segment.entries()) {
      const member = members.get(offset)
      if (member && member.contentId === content && member.length === length && member.sha256 === sha256) members.delete(offset)
    }
    // Members may have been deleted, or moved to another pack, while the index was read.
    const left = await membersByOffset(read, pack.id)
    return [...members.values()]
      .filter(({ offset, contentId }) => left.get(offset)?.contentId === contentId)
      .map(({ contentId, offset }) =>
        finding(
          pack,
          `content ${contentId} is not at ${offset} in its index`,
          'Restore the database from a backup; report it with svc doctor --json',
        ),
      )
  } catch (error) {
    if (error instanceof SegmentRefused)
      return [finding(pack, error.message, 'Cached objects of the pack can be uploaded again; report it')]
    if (!(error instanceof SvcError)) throw error
    return [{ ...finding(pack, error.message, 'Run svc doctor again later'), severity: 'warning' }]
  }
}

const finding = ({ id, bucket }: ComparedPack, message: string, repair: string): Finding => ({
  severity: 'error',
  invariant: 'I-31',
  subject: { kind: 'pack', id: String(id), bucket },
  message,
  repair,
})

function sourceOf(packs: Pick<Packs, 'open'>, { id, size }: ComparedPack): SegmentSource {
  return {
    size,
    async read(start, end) {
      await using opened = await packs.open(id)
      const blocks: Uint8Array[] = []
      for await (const block of opened.read({ start, end })) blocks.push(block)
      return Buffer.concat(blocks)
    },
  }
}
