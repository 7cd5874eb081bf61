import { type AdminCall, type AdminClient, openAdminClient, usageError } from '#cli'
import { estimateCost, showBucketCost, showCost } from '../cost/cost-api.ts'
import { toCsv } from '../receipts/describe-receipt-policy.ts'
import { type Receipt, showReceipt } from '../receipts/receipt-api.ts'
import { bucketCostText, costText, estimateText, receiptText } from './cost-text-policy.ts'
import { type EstimateFlags, readEstimate } from './read-estimate-policy.ts'

interface CostFlags extends EstimateFlags {
  readonly receipt: string | undefined
  readonly csv: boolean
}

export async function run(call: AdminCall<unknown, CostFlags>): Promise<undefined> {
  const { bucket, receipt, estimate, csv } = call.flags
  if (csv && receipt === undefined) throw usageError('--csv is for --receipt')
  if (estimate !== undefined && receipt !== undefined) throw usageError('use either --estimate or --receipt')
  const { costPolicy } = await import('#plugins/wallet')
  const policy = await costPolicy()
  const client = await openAdminClient(call)
  if (estimate !== undefined) {
    const answer = await client.call(estimateCost, { body: readEstimate(call.flags, policy) })
    return call.out.result(answer, estimateText(answer, policy)) as undefined
  }
  if (receipt !== undefined) {
    const answer = await readWhole(client, { month: receipt, ...(bucket === undefined ? {} : { bucket }) })
    return call.out.result(answer, csv ? toCsv(answer).trimEnd() : receiptText(answer, policy)) as undefined
  }
  if (bucket !== undefined) {
    const answer = await client.call(showBucketCost, { params: { name: bucket } })
    return call.out.result(answer, bucketCostText(answer, policy)) as undefined
  }
  const answer = await client.call(showCost)
  call.out.result(answer, costText(answer, policy))
}

/** The receipt with the lines of all its pages. */
async function readWhole(client: AdminClient, query: { readonly month: string; readonly bucket?: string }): Promise<Receipt> {
  const { next_after, ...receipt } = await client.call(showReceipt, { query })
  const lines = [...receipt.lines]
  for (let after = next_after; after !== undefined; ) {
    const page = await client.call(showReceipt, { query: { ...query, after } })
    lines.push(...page.lines)
    after = page.next_after
  }
  return { ...receipt, lines }
}
