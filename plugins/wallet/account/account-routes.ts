import { clock, type Database, database, defineRoutes, serveEndpoint } from '#kernel'
import type { Read } from '../chain/readiness-reads.ts'
import { type Chain, chainClient, chainSettings, type WalletFacts, walletAccount } from '../contract.ts'
import { countOperations, type OperationCount } from '../operations/operation-record-store.ts'
import { isConfigured } from '../operations/operations-routes.ts'
import { readWallet, type WalletSummary } from './account-api.ts'
import { describeAccount, describeApproval, troubles } from './describe-account-policy.ts'

export const accountRoutes = defineRoutes({
  name: 'wallet',
  uses: { account: walletAccount, chain: chainClient, settings: chainSettings, database, clock },
  endpoints: [readWallet],
  register(app, { account, chain, settings, database, clock }) {
    serveEndpoint(app, readWallet, async () => {
      if (!isConfigured(settings)) return { configured: false }
      const [facts, counts] = await Promise.all([account.read(), readCounts(database)])
      return describe(facts, { counts, network: chain.network, nowMs: clock.now() })
    })
  },
})

type Counts =
  | Extract<Read<readonly OperationCount[]>, { isKnown: true }>
  | { readonly isKnown: false; readonly because: 'database failure' }

const readCounts = (database: Database): Promise<Counts> =>
  countOperations(database.read).then(
    (value) => ({ isKnown: true, value }),
    () => ({ isKnown: false, because: 'database failure' }),
  )

interface Shown {
  readonly counts: Counts
  readonly network: Chain['network']
  readonly nowMs: number
}

const digits = (read: Read<bigint>): string | null => (read.isKnown ? String(read.value) : null)

function describe({ address, nonce, epoch, gas, usdfc, account, approval, dataSets }: WalletFacts, shown: Shown): WalletSummary {
  const { counts, network, nowMs } = shown
  const { name, chainId, epochSeconds, contracts } = network
  const reads = { nonce, current_epoch: epoch, fil_gas_balance: gas, usdfc_wallet_balance: usdfc, usdfc_account: account, approval }
  const partial_errors = troubles({ ...reads, data_set_count: dataSets, task_counts: counts })
  return {
    configured: true,
    identity: { address, nonce: nonce.isKnown ? nonce.value : null },
    chain: { network: name, chain_id: chainId, current_epoch: digits(epoch), epoch_duration_seconds: epochSeconds },
    wallet_balances: { fil_gas: digits(gas), usdfc: digits(usdfc) },
    payment_account: account.isKnown ? describeAccount(account.value, { epochSeconds, nowMs }) : null,
    contracts: {
      payments_address: contracts.filecoinPay,
      usdfc_address: contracts.usdfc,
      usdfc_decimals: usdfcDecimals,
      fwss_address: contracts.fwss,
      ...(approval.isKnown && { approval: describeApproval(approval.value) }),
    },
    business: { ...(dataSets.isKnown && { data_set_count: dataSets.value }), ...(counts.isKnown && countTasks(counts.value)) },
    ...(partial_errors && { partial_errors }),
  }
}

const usdfcDecimals = 18

function countTasks(counts: readonly OperationCount[]) {
  const sum = (...statuses: readonly string[]) =>
    counts.filter(({ status }) => statuses.includes(status)).reduce((total, { count }) => total + count, 0)
  return { onchain_tasks_pending: sum('pending', 'submitted', 'unknown'), onchain_tasks_completed: sum('confirmed') }
}
