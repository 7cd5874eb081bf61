import type { Clock } from '#kernel'
import { type ApprovalLimits, approvalAdvice } from '../chain/approval-policy.ts'
import { judgeVersions, type VersionVerdict } from '../chain/contract-version-policy.ts'
import type { PlannedAddition } from '../chain/cost-policy.ts'
import type { FundingView, WorkEstimate } from '../chain/payment-account.ts'
import type { Chain, ChainSettings, FundingVerdict, Funds, Signer, Spending } from '../contract.ts'
import { namePrices } from './price-list.ts'
import { formatUsdfc, roundUpUsdfc } from './usdfc-amount-policy.ts'

interface FundsDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
  readonly settings: Pick<ChainSettings, 'with_cdn'>
  readonly approval: ApprovalLimits
}

/** Cache time. The account changes at most once per epoch. */
const viewEpochs = 2

type View =
  | { readonly contracts: VersionVerdict & { isSupported: false } }
  | { readonly contracts: undefined; readonly funding: FundingView }

export function createFunds({ chain, signer, clock, settings, approval }: FundsDeps): Funds {
  let view: { readonly answer: Promise<View>; readonly readAtMs: number } | undefined
  const viewMs = viewEpochs * chain.network.epochSeconds * 1000

  async function read(): Promise<View> {
    const { readFunding } = await import('../chain/payment-account.ts')
    // First: answers of unknown contract versions could be misread.
    const contracts = judgeVersions(await chain.contractVersions())
    return contracts.isSupported ? { contracts: undefined, funding: await readFunding(chain, signer.address) } : { contracts }
  }

  async function readOnce(): Promise<View> {
    // Absolute value: a backward clock step makes the view stale too.
    if (!view || Math.abs(clock.now() - view.readAtMs) > viewMs) {
      const answer = read()
      view = { answer, readAtMs: clock.now() }
      // Do not cache a failed read.
      answer.catch(() => {
        view = undefined
      })
    }
    return view.answer
  }

  async function judged(judge: (funding: FundingView) => Promise<FundingVerdict>): Promise<FundingVerdict> {
    let found: View
    try {
      found = await readOnce()
    } catch (error) {
      // The caller's task waits, as for missing funds, until the chain answers again.
      return { isCovered: false, because: 'chain', message: `the payment account cannot be read: ${(error as Error).message}` }
    }
    if (!found.contracts) return judge(found.funding)
    return { isCovered: false, because: 'contracts', message: `${found.contracts.reason} Update svc, or check chain.network.` }
  }

  async function readable(): Promise<FundingView | undefined> {
    const found = await readOnce().catch(() => undefined)
    return found?.contracts ? undefined : found?.funding
  }

  return {
    canPay: (spending) =>
      judged(async (funding) => {
        const { estimateCost } = await import('../chain/payment-account.ts')
        const additions = toAdditions(spending, settings.with_cdn)
        return judge(estimateCost({ kind: 'additions', additions }, funding), funding, approval)
      }),
    canTerminate: (reserve) =>
      judged(async (funding) => {
        const { estimateCost } = await import('../chain/payment-account.ts')
        // The approval is not asked: a withdrawn one must not keep a service running.
        return judgeDeposit(estimateCost({ kind: 'termination', reserve }, funding))
      }),
    async prices() {
      const found = await readable()
      return found && namePrices(found.prices)
    },
    view: readable,
    at: async (epoch) => (await import('../chain/payment-account.ts')).readMoneyAt(chain, signer.address, epoch),
    forget() {
      view = undefined
    },
  }
}

function judge(estimate: WorkEstimate, funding: FundingView, limits: ApprovalLimits): FundingVerdict {
  const { approvalState } = estimate
  if (!approvalState.approved) {
    const advice = approvalAdvice(approvalState.reason, funding.approval, limits)
    return { isCovered: false, because: 'approval', message: `the approval of the storage service is too low. ${advice}` }
  }
  return judgeDeposit(estimate)
}

function judgeDeposit({ depositNeeded, cdnLockup }: WorkEstimate): FundingVerdict {
  if (depositNeeded > 0n) {
    const cdn = cdnLockup > 0n ? ` (CDN retrieval locks ${formatUsdfc(roundUpUsdfc(cdnLockup))})` : ''
    return {
      isCovered: false,
      because: 'deposit',
      message: `the payment account lacks ${formatUsdfc(roundUpUsdfc(depositNeeded))} USDFC${cdn}; run \`svc wallet deposit\``,
    }
  }
  return { isCovered: true }
}

export function toAdditions({ dataSets, pieces, bytes, heldBytes }: Spending, hasCdn: boolean): readonly PlannedAddition[] {
  const empty = { isNewDataSet: true, hasCdn, currentBytes: 0n, addedBytes: 0n, pieces: 0 }
  const created = Array.from({ length: dataSets }, () => empty)
  return pieces === 0 ? created : [...created, { isNewDataSet: false, currentBytes: BigInt(heldBytes), addedBytes: BigInt(bytes), pieces }]
}
