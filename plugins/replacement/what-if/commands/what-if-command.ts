import { type AdminCall, formatFacts, formatTable, openAdminClient } from '#cli'
import { showWhatIf, type WhatIf } from '../what-if-api.ts'

export async function run(call: AdminCall<{ providerId: string }>): Promise<undefined> {
  const client = await openAdminClient(call)
  const answer = await client.call(showWhatIf, { query: { provider_id: call.parameters.providerId } })
  call.out.result(answer, await whatIfText(answer))
}

type Count = WhatIf['stored']
const countText = ({ contents, versions, bytes }: Count) => `${contents} contents, ${versions} versions, ${bytes} bytes`

async function whatIfText({ heal, ...answer }: WhatIf): Promise<string> {
  const { formatUsdfc } = await (await import('#plugins/wallet')).costPolicy()
  const usdfc = (amount: string) => `${formatUsdfc(BigInt(amount))} USDFC`
  const { cost } = heal
  const facts = formatFacts([
    ['Provider', answer.provider_name === undefined ? answer.provider_id : `${answer.provider_id} (${answer.provider_name})`],
    ['Stored there', countText(answer.stored)],
    ['Below target', countText(answer.below_target)],
    ['Below minimum', countText(answer.below_minimum)],
    ['No other copy', countText(answer.no_other_copy)],
    ['Lost', countText(answer.lost)],
    ['To heal', `${heal.pieces} pieces, ${heal.bytes} bytes, ${heal.data_sets} data sets`],
    [
      'Time',
      heal.seconds === null ? 'unknown: no other provider was measured yet' : `${heal.seconds} s at ${heal.bytes_per_second ?? 0} bytes/s`,
    ],
    ['Fee', cost ? usdfc(cost.fee) : 'unknown: the prices cannot be read now'],
    ['Fee if each piece has its own call', cost && cost.fee !== cost.fee_max ? usdfc(cost.fee_max) : undefined],
    ['Locked', cost ? usdfc(cost.lock) : undefined],
    ['Rate per month', cost ? usdfc(cost.rate.per_month) : undefined],
    ['Missing deposit', cost && cost.deposit_needed !== '0' ? usdfc(cost.deposit_needed) : undefined],
    ['Counted at', answer.counted_at],
  ])
  const table = formatTable(
    ['bucket', 'contents', 'bytes', 'below target', 'below minimum', 'no other copy', 'lost'],
    answer.buckets.map((bucket) => [
      bucket.bucket,
      String(bucket.stored.contents),
      bucket.stored.bytes,
      String(bucket.below_target.contents),
      String(bucket.below_minimum.contents),
      String(bucket.no_other_copy.contents),
      String(bucket.lost.contents),
    ]),
  )
  const more = answer.other_buckets > 0 ? `\n${answer.other_buckets} more buckets` : ''
  return answer.buckets.length === 0 ? facts : `${facts}\n\n${table}${more}`
}
