import { type AdminCall, formatFacts, formatTable, openAdminClient, showResult } from '#cli'
import { listRepairs, type RepairList } from '../repair-api.ts'

interface ListFlags {
  readonly limit: number | undefined
  readonly before: number | undefined
  readonly watch: boolean
}

export async function run(call: AdminCall<unknown, ListFlags>): Promise<undefined> {
  const { limit, before } = call.flags
  const client = await openAdminClient(call)
  const query = { ...(limit === undefined ? {} : { limit: String(limit) }), ...(before === undefined ? {} : { before: String(before) }) }
  const { formatUsdfc } = await (await import('#plugins/wallet')).costPolicy()
  await showResult(call, async () => {
    const answer = await client.call(listRepairs, { query })
    return { value: answer, text: listText(answer, (amount) => `${formatUsdfc(BigInt(amount))} USDFC`) }
  })
}

function listText({ auto, spent_today, daily_spend_limit, repairs, next }: RepairList, usdfc: (amount: string) => string): string {
  const facts = formatFacts([
    ['Automatic repair', auto ? 'on' : 'off'],
    ['Fees today', `${usdfc(spent_today)} of ${daily_spend_limit === null ? 'no limit' : usdfc(daily_spend_limit)}`],
  ])
  if (repairs.length === 0) return `${facts}\n\nNo decisions.`
  const table = formatTable(
    ['id', 'at', 'action', 'bucket', 'copy', 'provider', 'reason', 'replacement', 'message'],
    repairs.map((one) => [
      String(one.id),
      one.at,
      one.action,
      one.bucket,
      String(one.copy_index),
      one.provider_id,
      one.reason,
      one.replacement_id === undefined ? '-' : String(one.replacement_id),
      one.message,
    ]),
  )
  return `${facts}\n\n${table}${next === undefined ? '' : `\n\nEarlier decisions: --before ${next}`}`
}
