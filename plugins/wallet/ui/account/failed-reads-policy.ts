/** Parts of the wallet that could not be read, with the reason. Pure. */
import type { Wallet } from './runway-policy.ts'

type FailedReads = NonNullable<Wallet['partial_errors']>

const names: Readonly<Record<keyof FailedReads, string>> = {
  nonce: 'Nonce',
  current_epoch: 'Present epoch',
  fil_gas_balance: 'FIL balance',
  usdfc_wallet_balance: 'USDFC balance',
  usdfc_account: 'Payment account',
  approval: 'Approval',
  data_set_count: 'Number of data sets',
  task_counts: 'Number of operations',
}

export const listFailedReads = (errors: Wallet['partial_errors']): readonly string[] =>
  Object.entries(errors ?? {}).map(([name, reason]) => `${names[name as keyof FailedReads] ?? name}: ${reason}`)
