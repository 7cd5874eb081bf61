import { parseAbi } from 'viem'
import type { Chain } from './clients.ts'
import { type PlannedCall, planCall } from './transactions.ts'

const terminationAbi = parseAbi([
  'function terminateService(uint256 dataSetId)',
  'error DataSetPaymentAlreadyTerminated(uint256 dataSetId)',
  'error InvalidDataSetId(uint256 dataSetId)',
  'error CallerNotPayerOrPayee(uint256 dataSetId, address expectedPayer, address expectedPayee, address caller)',
])

/**
 * Plans the termination of a data set by a transaction of the payer: without fee, but the lockup period is still paid.
 * Only for providers that do not relay a signed termination.
 */
export function planTermination({ chain, dataSetId }: { readonly chain: Chain; readonly dataSetId: bigint }): PlannedCall {
  const what = `end the service of data set ${dataSetId}`
  return planCall({ what, to: chain.network.contracts.fwss, abi: terminationAbi, functionName: 'terminateService', args: [dataSetId] })
}
