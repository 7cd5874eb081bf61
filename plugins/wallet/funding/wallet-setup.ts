import { type Clock, newUlid } from '#kernel'
import type { ApprovalLimits } from '../chain/approval-policy.ts'
import type { Chain, Funds, Signer, WalletSetup } from '../contract.ts'
import type { OperationStore } from '../operations/operation-store.ts'
import type { OperationRunner } from '../operations/run-operation.ts'
import type { WalletTurn } from '../operations/wallet-turn.ts'

interface WalletSetupDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly store: OperationStore
  readonly runner: OperationRunner
  readonly turn: WalletTurn
  readonly funds: Funds
  readonly clock: Clock
  readonly approval: ApprovalLimits
}

export function createWalletSetup({ chain, signer, store, runner, turn, funds, clock, approval }: WalletSetupDeps): WalletSetup {
  return {
    ensureFunded: ({ deposit }) => turn.run(() => ensureFunded(deposit)),
  }

  async function ensureFunded(deposit: bigint): Promise<void> {
    for (const open of await store.listOpen()) await runner.resume(open)
    const { planFunding, readAccount } = await import('../chain/payments.ts')
    const { funds: held } = await readAccount(chain, signer.address)
    const amount = held < deposit ? deposit - held : 0n
    const call = await planFunding({ chain, account: signer, amount, approval, now: clock.now })
    if (!call) return
    const operation = await store.create({
      type: amount > 0n ? 'fund' : 'approve',
      clientRequestId: `setup-${newUlid(clock.now())}`,
      amount,
      nowMs: clock.now(),
    })
    await runner.run(operation, call)
    funds.forget()
  }
}
