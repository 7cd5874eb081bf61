import { type AdminCall, formatFacts, openAdminClient, showResult, usageError } from '#cli'
import { newUlid } from '#kernel'
import { type RaiseAnswer, type RaisePreview, showRaise, startRaise } from '../raise-api.ts'

interface RaiseFlags {
  readonly watch: boolean
  readonly yes: boolean
  readonly requestId: string | undefined
  readonly priceList: string | undefined
}

export async function run(call: AdminCall<{ bucket: string }, RaiseFlags>): Promise<undefined> {
  const { flags, parameters, out } = call
  if (flags.watch && flags.yes) throw usageError('use either --watch or --yes')
  const client = await openAdminClient(call)
  const params = { name: parameters.bucket }
  const read = async () => {
    const preview = await client.call(showRaise, { params })
    return { value: preview, text: await previewText(preview) }
  }
  if (!flags.yes) return void (await showResult(call, read))
  const preview = await client.call(showRaise, { params })
  const priceList = flags.priceList ?? preview.cost?.price_fingerprint
  if (priceList === undefined)
    throw usageError('the prices cannot be read now; try again later, or name the accepted ones with --price-list')
  // The raise is refused when the prices have changed since the preview.
  const confirmed = await openAdminClient({ ...call, flags: { ...flags, priceList } })
  const answer = await confirmed.call(startRaise, {
    params,
    body: { client_request_id: flags.requestId ?? newUlid(Date.now()), target_copies: preview.target_copies },
  })
  out.result(answer, raiseText(answer.raise))
}

const raiseText = ({ status, contents, copies, bytes, percent_raised, lacking_copies, ...raise }: RaiseAnswer): string =>
  formatFacts([
    ['Raise', String(raise.id)],
    ['Request', raise.client_request_id],
    ['Target', `${raise.target_copies} copies`],
    ['Status', status === 'raising' ? `raising (${percent_raised} %)` : status],
    ['Raised', `${contents} contents, ${copies} copies, ${bytes} bytes`],
    ['Lack copies', status === 'completed' ? undefined : String(lacking_copies)],
    ['Requested', raise.created_at],
    ['Completed', raise.finished_at],
  ])

async function previewText({ cost, raise, ...preview }: RaisePreview): Promise<string> {
  const { formatUsdfc } = await (await import('#plugins/wallet')).costPolicy()
  const usdfc = (amount: string) => `${formatUsdfc(BigInt(amount))} USDFC`
  const facts = formatFacts([
    ['Bucket', preview.bucket],
    ['Target', `${preview.target_copies} copies`],
    ['Below it', `${preview.contents} contents`],
    ['Would add', `${preview.copies} copies, ${preview.bytes} bytes`],
    ['Fee', cost ? usdfc(cost.fee) : 'unknown: the prices cannot be read now'],
    ['Fee if each piece has its own call', cost && cost.fee !== cost.fee_max ? usdfc(cost.fee_max) : undefined],
    ['Locked', cost ? usdfc(cost.lock) : undefined],
    ['Rate per month', cost ? usdfc(cost.rate.per_month) : undefined],
    ['Waits because', cost?.waits_for],
    ['Price list', cost?.price_fingerprint],
  ])
  return raise ? `${facts}\n\n${raiseText(raise)}` : facts
}
