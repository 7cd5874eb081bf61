import { type AdminCall, formatShare, formatSize, formatTable, openAdminClient, showResult } from '#cli'
import { type BucketPacks, listPacks, type ShownPack } from '../shown/pack-api.ts'

interface ListFlags {
  readonly bucket: string | undefined
  readonly limit: number | undefined
  readonly watch: boolean
}

export async function run(call: AdminCall<unknown, ListFlags>): Promise<undefined> {
  const { bucket, limit } = call.flags
  const client = await openAdminClient(call)
  const query = { ...(bucket !== undefined && { bucket }), ...(limit !== undefined && { limit: String(limit) }) }
  await showResult(call, async () => {
    const value = await client.call(listPacks, { query })
    const text = [waitingText(value.buckets), packsText(value.packs)].join('\n\n')
    return { value, text }
  })
}

function waitingText(buckets: readonly BucketPacks[]): string {
  if (buckets.length === 0) return 'No bucket is packed. svc admin pack policy <bucket> small packs its small objects.'
  return formatTable(
    ['bucket', 'packing', 'waiting', 'bytes', ''],
    buckets.map(({ bucket, packing, waiting }) => [
      bucket,
      packing,
      String(waiting.contents),
      formatSize(waiting.bytes),
      waiting.message ?? '',
    ]),
  )
}

function packsText(packs: readonly ShownPack[]): string {
  if (packs.length === 0) return 'There are no packs.'
  return formatTable(
    ['id', 'bucket', 'state', 'copies', 'size', 'living', 'objects', 'created at'],
    packs.map((pack) => [
      String(pack.id),
      pack.bucket,
      pack.state,
      `${pack.durable_copies}/${pack.target_copies}`,
      formatSize(pack.size),
      formatShare(pack.living_bytes, pack.size),
      String(pack.members),
      pack.created_at,
    ]),
  )
}
