import type { Clock } from '#kernel'
import type { FundingView } from '../chain/payments.ts'
import type { Chain, FundingVerdict, Funds, Signer, Spending } from '../contract.ts'

/** The account changes by the epoch; asking more often tells nothing new. */
const viewEpochs = 2

export function createFunds({ chain, signer, clock }: { readonly chain: Chain; readonly signer: Signer; readonly clock: Clock }): Funds {
  let view: { readonly funding: Promise<FundingView>; readonly readAtMs: number } | undefined
  const viewMs = viewEpochs * chain.network.epochSeconds * 1000

  async function readOnce(): Promise<FundingView> {
    // The absolute value: after a step back of the clock the reading is of another time.
    if (!view || Math.abs(clock.now() - view.readAtMs) > viewMs) {
      const { readFunding } = await import('../chain/payments.ts')
      const funding = readFunding(chain, signer.address)
      view = { funding, readAtMs: clock.now() }
      // A failed read must not be kept as the answer.
      funding.catch(() => {
        view = undefined
      })
    }
    return view.funding
  }

  return {
    async canPay(spending) {
      const { estimateCost } = await import('../chain/payments.ts')
      let funding: FundingView
      try {
        funding = await readOnce()
      } catch (error) {
        // Not an error of the caller's work: it waits, as for missing money, until the chain answers again.
        return { isCovered: false, because: 'chain', message: `the payment account cannot be read: ${(error as Error).message}` }
      }
      return judge(estimateCost({ kind: 'additions', additions: toAdditions(spending) }, funding))
    },
    forget() {
      view = undefined
    },
  }
}

function judge(estimate: { readonly approvalNeeded: boolean; readonly depositNeeded: bigint }): FundingVerdict {
  if (estimate.approvalNeeded)
    return { isCovered: false, because: 'approval', message: 'the storage service is not approved to spend; run `svc wallet approve`' }
  if (estimate.depositNeeded > 0n) {
    return {
      isCovered: false,
      because: 'deposit',
      message: `the payment account lacks ${formatUsdfc(estimate.depositNeeded)} USDFC; run \`svc wallet deposit\``,
    }
  }
  return { isCovered: true }
}

function toAdditions({ dataSets, pieces, bytes, heldBytes }: Spending) {
  const fresh = Array.from({ length: dataSets }, () => ({ isNewDataSet: true, currentBytes: 0n, addedBytes: 0n, pieces: 0 }))
  return pieces === 0 ? fresh : [...fresh, { isNewDataSet: false, currentBytes: BigInt(heldBytes), addedBytes: BigInt(bytes), pieces }]
}

/** Rounded up to six decimals, so that depositing the printed amount is enough. */
function formatUsdfc(baseUnits: bigint): string {
  const micro = (baseUnits + 10n ** 12n - 1n) / 10n ** 12n
  return `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, '0')}`
}
