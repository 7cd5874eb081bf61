import type { Clock } from '#kernel'
import { readAccount, readApproval } from '../chain/payment-account.ts'
import { readDataSetCount, readGas, readNonce, readUsdfc, settle, startLimit } from '../chain/readiness-reads.ts'
import type { Chain, Signer, WalletAccount, WalletFacts } from '../contract.ts'

const readMs = 15_000
const cacheMs = 10_000

interface AccountDeps {
  readonly chain: Chain
  readonly signer: Pick<Signer, 'address'>
  readonly clock: Pick<Clock, 'now'>
  /** Default: `readMs`. */
  readonly limitMs?: number
}

export function createWalletAccount({ clock, ...deps }: AccountDeps): WalletAccount {
  let kept: { readonly answer: Promise<WalletFacts>; readonly readAtMs: number } | undefined
  return {
    read() {
      // The absolute value makes the answer stale after a backward clock step too.
      if (!kept || Math.abs(clock.now() - kept.readAtMs) > cacheMs) kept = { answer: readFacts(deps), readAtMs: clock.now() }
      return kept.answer
    },
    forget() {
      kept = undefined
    },
  }
}

async function readFacts({ chain, signer: { address }, limitMs = readMs }: Omit<AccountDeps, 'clock'>): Promise<WalletFacts> {
  const limit = startLimit(limitMs)
  const known = <T>(answer: Promise<T>) => settle(answer, limit.reached)
  try {
    // Reads of one turn share a multicall.
    const [nonce, epoch, gas, usdfc, account, approval, dataSets] = await Promise.all([
      known(readNonce(chain, address)),
      known(chain.currentEpoch()),
      known(readGas(chain, address)),
      known(readUsdfc(chain, address)),
      known(readAccount(chain, address)),
      known(readApproval(chain, address)),
      known(readDataSetCount(chain, address)),
    ])
    return { address, nonce, epoch, gas, usdfc, account, approval, dataSets }
  } finally {
    limit.end()
  }
}
