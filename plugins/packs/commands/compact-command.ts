import { type AdminCall, formatFacts, formatSize, openAdminClient } from '#cli'
import { compactPack, showPack } from '../shown/pack-api.ts'
import { readPackId } from './read-pack-id.ts'

export async function run(call: AdminCall<{ id: string }, { yes: boolean }>): Promise<undefined> {
  const id = readPackId(call.parameters.id)
  const client = await openAdminClient(call)
  if (call.flags.yes) {
    const answer = await client.call(compactPack, { params: { id } })
    return call.out.result(answer, `Pack ${id} is being replaced: its objects move when the new pack has all its copies.`) as undefined
  }
  const pack = await client.call(showPack, { params: { id } })
  const { costPolicy } = await import('#plugins/wallet')
  const { formatUsdfc } = await costPolicy()
  const { compaction } = pack
  const facts = formatFacts([
    ['dead bytes', formatSize(pack.dead_bytes)],
    ['fees of a replacement', compaction ? `${formatUsdfc(BigInt(compaction.fees))} USDFC` : 'unknown: the prices cannot be read now'],
    ['saved', compaction ? `${formatUsdfc(BigInt(compaction.saved))} USDFC in ${compaction.months} months` : undefined],
  ])
  call.out.result(pack, `${facts}\n\nReplace it with svc admin pack compact ${id} --yes`)
}
