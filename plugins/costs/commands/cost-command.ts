import { openAdminClient, usageError } from '#cli'
import type { CommandCall } from '#kernel'
import { estimateCost, showBucketCost, showCost } from '../cost/cost-api.ts'
import { toCsv } from '../receipts/describe-receipt-policy.ts'
import { showReceipt } from '../receipts/receipt-api.ts'
import { bucketCostText, costText, estimateText, receiptText } from './cost-text-policy.ts'
import { readEstimate } from './read-estimate-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const { bucket, receipt, estimate, csv } = call.flags as {
    readonly bucket?: string
    readonly receipt?: string
    readonly estimate?: string
    readonly csv?: boolean
  }
  if (csv === true && receipt === undefined) throw usageError('--csv is for --receipt')
  if (estimate !== undefined && receipt !== undefined) throw usageError('use either --estimate or --receipt')
  const { costPolicy } = await import('#plugins/wallet')
  const policy = await costPolicy()
  const client = await openAdminClient(call)
  if (estimate !== undefined) {
    const answer = await client.call(estimateCost, { body: readEstimate(call.flags, policy) })
    return call.out.result(answer, estimateText(answer, policy)) as undefined
  }
  if (receipt !== undefined) {
    const answer = await client.call(showReceipt, { query: { month: receipt, ...(bucket === undefined ? {} : { bucket }) } })
    return call.out.result(answer, csv === true ? toCsv(answer).trimEnd() : receiptText(answer, policy)) as undefined
  }
  if (bucket !== undefined) {
    const answer = await client.call(showBucketCost, { params: { name: bucket } })
    return call.out.result(answer, bucketCostText(answer, policy)) as undefined
  }
  const answer = await client.call(showCost)
  call.out.result(answer, costText(answer, policy))
}
