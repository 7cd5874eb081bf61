import { type AdminCall, formatFacts, formatSize, openAdminClient } from '#cli'
import { packStoredObjects, showStored } from '../stored/stored-api.ts'

export async function run(call: AdminCall<{ bucket: string }, { yes: boolean }>): Promise<undefined> {
  const { bucket } = call.parameters
  const client = await openAdminClient(call)
  if (call.flags.yes) {
    const answer = await client.call(packStoredObjects, { body: { bucket } })
    const text =
      answer.contents === 0
        ? `Nothing to pack in ${bucket}.`
        : `${answer.contents} objects of ${bucket} are being packed; their single pieces are removed when the packs have all copies. Follow it with svc task list.`
    return call.out.result(answer, text) as undefined
  }
  const found = await client.call(showStored, { query: { bucket } })
  const { costPolicy } = await import('#plugins/wallet')
  const { formatUsdfc } = await costPolicy()
  const amount = (text: string) => `${formatUsdfc(BigInt(text))} USDFC`
  const { costs, running } = found
  const facts = formatFacts([
    ['objects', found.contents],
    ['bytes', formatSize(found.bytes)],
    ['packs', found.packs],
    ['fees now', costs ? amount(costs.spent) : 'unknown: the prices cannot be read now'],
    ['saved', costs ? `${amount(costs.saved_per_copy)} for each later copy, such as when a provider is replaced` : undefined],
    ['running', running ? `${running.packed} of ${running.contents} packed, ${running.left_out} cannot be read` : undefined],
  ])
  call.out.result(found, found.contents < 2 ? facts : `${facts}\n\nPack them with svc admin bucket pack ${bucket} --yes`)
}
