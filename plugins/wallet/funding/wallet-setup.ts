import { type Clock, type Database, newUlid, systemClock } from '#kernel'
import type { Chain, Funds, OperationKey, OperationRequest, Signer, WalletOperations, WalletSetup } from '../contract.ts'
import { walletErrors } from '../errors.ts'
import { keepOpen } from '../operations/follow-operation.ts'
import { listUnfinished } from '../operations/operation-store.ts'

interface WalletSetupDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly database: Database
  readonly operations: Pick<WalletOperations, 'begin' | 'follow'>
  readonly funds: Funds
  readonly clock: Clock
}

/** Epochs to wait for the outcome of an operation. */
const outcomeEpochsMax = 40
const pollsPerEpoch = 4

export function createWalletSetup(deps: WalletSetupDeps): WalletSetup {
  const { chain, signer, database, operations, funds, clock } = deps
  const epochMs = chain.network.epochSeconds * 1000

  /** The operation stays open when this rejects with `wallet_operation_undecided`; its task follows it. */
  async function waitForEnd(key: OperationKey) {
    let message = `The ${key.type} operation is not final after ${outcomeEpochsMax} epochs. It stays open and is looked up again.`
    const untilMs = systemClock.now() + outcomeEpochsMax * epochMs
    while (systemClock.now() < untilMs) {
      const outcome = await operations.follow(key).catch(keepOpen)
      if (outcome.kind !== 'open') return outcome
      message = outcome.message ?? message
      if (outcome.reason === 'fee') break
      await systemClock.sleep(epochMs / pollsPerEpoch)
    }
    throw walletErrors.wallet_operation_undecided({ message })
  }

  async function ensureFunded({ deposit }: { readonly deposit: bigint }): Promise<void> {
    for (const key of await listUnfinished(database.read)) await waitForEnd(key)
    const { readAccount } = await import('../chain/payment-account.ts')
    const { funds: held } = await readAccount(chain, signer.address)
    const id = `setup-${newUlid(clock.now())}`
    const request: OperationRequest = held < deposit ? { type: 'fund', id, amount: deposit - held } : { type: 'approve', id }
    await database.write((tx) => operations.begin(tx, request))
    const outcome = await waitForEnd(request)
    funds.forget()
    if (outcome.kind === 'failed')
      throw walletErrors[outcome.code]({ message: `The ${request.type} operation failed: ${outcome.message}.` })
  }

  return { ensureFunded }
}
