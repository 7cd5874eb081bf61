import type { Clock, Database, Log, TaskQueue } from '#kernel'
import type { ConfigState } from '#kernel/system'
import { type SpendingSettings, toSpendingLimits } from '../chain/spending-policy.ts'
import type { Chain, Signer, WalletOperations } from '../contract.ts'
import { followOperation } from './follow-operation.ts'
import { createOperationStore, insertOperation } from './operation-store.ts'
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
}

/** The operations of the service, whose records are in its database. */
export function openOperations({ database, queue, config, spending, ...others }: OperationsDeps): WalletOperations {
  const { chain, signer, clock } = others
  const { address } = signer
  const records = { database, wallet: address, now: clock.now, schedule: scheduleOperation(queue) }
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
  }
}
