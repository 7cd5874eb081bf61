import type { Clock, Database, Events, Log, TaskQueue } from '#kernel'
import type { ConfigState } from '#kernel/system'
import { type SpendingSettings, toSpendingLimits } from '../chain/spending-policy.ts'
import type { Chain, Funds, Signer, WalletAccount, WalletOperations } from '../contract.ts'
import { describeOperation, walletOperationUpdated } from './describe-operation.ts'
import { followOperation } from './follow-operation.ts'
import type { OperationRecord } from './operation-record-store.ts'
import { createOperationStore, insertOperation, reopenOperation } from './operation-store.ts'
import { scheduleOperation } from './operation-task.ts'
import { openWalletSlot } from './wallet-slot.ts'

interface OperationsDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
  readonly log: Log
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'add'>
  readonly config: Pick<ConfigState, 'loaded'>
  readonly spending: SpendingSettings
  readonly events: Events
  readonly funds: Pick<Funds, 'forget'>
  readonly account: Pick<WalletAccount, 'forget'>
}

/** The operations of the service, whose records are in its database. */
export function openOperations({ database, queue, config, spending, events, funds, account, ...others }: OperationsDeps): WalletOperations {
  const { chain, signer, clock } = others
  function changed(record: OperationRecord): void {
    funds.forget()
    account.forget()
    const operation = describeOperation(record)
    if (operation) events.publish(walletOperationUpdated, { operation })
  }

  const { address } = signer
  const records = { database, wallet: address, now: clock.now, schedule: scheduleOperation(queue), changed }
  const deps = {
    ...others,
    ...toSpendingLimits(spending, chain.network),
    store: createOperationStore(records),
    slot: openWalletSlot({ configPath: config.loaded.path, chainId: chain.network.chainId, address }),
    owner: 'service',
  } as const
  return {
    begin: (tx, request) => insertOperation(tx, request, records),
    follow: (key) => followOperation(deps, key),
    reopen: (tx, key) => reopenOperation(tx, key, records),
  }
}
