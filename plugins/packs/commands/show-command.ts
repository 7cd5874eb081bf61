import { type AdminCall, formatFacts, formatShare, formatSize, formatTable, onOneLine, openAdminClient } from '#cli'
import { showPack } from '../shown/pack-api.ts'
import { readPackId } from './read-pack-id.ts'

export async function run(call: AdminCall<{ id: string }, unknown>): Promise<undefined> {
  const id = readPackId(call.parameters.id)
  const client = await openAdminClient(call)
  const pack = await client.call(showPack, { params: { id } })
  const facts = formatFacts([
    ['bucket', pack.bucket],
    ['state', pack.state],
    ['copies', `${pack.durable_copies} of ${pack.target_copies}`],
    ['size', formatSize(pack.size)],
    ['living', `${formatSize(pack.living_bytes)} (${formatShare(pack.living_bytes, pack.size)})`],
    ['dead', formatSize(pack.dead_bytes)],
    ['objects', pack.members],
    ['versions', pack.versions],
    ['created at', pack.created_at],
  ])
  const members = formatTable(
    ['content', 'offset', 'bytes', 'key'],
    pack.first_members.map((member) => [String(member.content_id), String(member.offset), String(member.length), onOneLine(member.key)]),
  )
  call.out.result(pack, `${facts}\n\n${members}`)
}
