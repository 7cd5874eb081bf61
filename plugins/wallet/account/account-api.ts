/** The wallet and its payment account. Amounts are digits in 10^-18 of their token; times are RFC 3339 in UTC, with milliseconds. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

/** Why a part is null or absent. Never the message of a node or database, which may contain an address. */
const trouble = type("'timeout' | 'cancelled' | 'RPC failure' | 'contract refused' | 'database failure'")

const paymentAccount = type({
  funds: 'string',
  /** Neither locked nor owed. */
  available_funds: 'string',
  /** What a withdrawal may take now and in the next minutes. */
  withdrawable_funds: 'string',
  /** Amount at `lockup_last_settled_at`. */
  lockup_current: 'string',
  /** Amount per epoch. */
  lockup_rate: 'string',
  lockup_rate_per_day: 'string',
  /** 30 days. */
  lockup_rate_per_month: 'string',
  lockup_last_settled_at: 'string',
  /** Epoch; null without running costs. */
  funded_until_epoch: 'string | null',
  /** Absent without running costs, and after the year 9999. */
  'funded_until_time?': 'string',
  /** Until new work and renewals lack funds. Absent without running costs. */
  'runway_seconds?': 'number.integer',
  /** Whole days of `runway_seconds`. */
  'runway_days?': 'number.integer',
  no_active_spend: 'boolean',
  /** The deposit after which the account lasts 90 days longer at the present rate; in debt, 90 days. */
  deposit_for_90_days: 'string',
})

const approval = type({
  approved: 'boolean',
  /** Amount per epoch. */
  rate_allowance: 'string',
  lockup_allowance: 'string',
  /** Amount per epoch, of the present data sets. */
  rate_usage: 'string',
  lockup_usage: 'string',
})

/** Has only `configured` without a wallet. Parts that could not be read are null or absent, and named in `partial_errors`. */
const walletSummary = type({
  configured: 'boolean',
  'identity?': {
    address: 'string',
    /** Nonce of the next transaction. */
    nonce: 'number.integer | null',
  },
  'chain?': {
    network: 'string',
    chain_id: 'number.integer',
    current_epoch: 'string | null',
    epoch_duration_seconds: 'number',
  },
  'wallet_balances?': {
    fil_gas: 'string | null',
    /** Not deposited. */
    usdfc: 'string | null',
  },
  'payment_account?': paymentAccount.or('null'),
  'contracts?': {
    payments_address: 'string',
    usdfc_address: 'string',
    usdfc_decimals: 'number.integer',
    fwss_address: 'string',
    'approval?': approval,
  },
  'business?': {
    /** Data sets of the wallet on chain, those included whose service has ended and is not deleted yet. */
    'data_set_count?': 'number.integer',
    /** Operations of the wallet without a final outcome, terminations of data sets included. */
    'onchain_tasks_pending?': 'number.integer',
    /** Confirmed operations. */
    'onchain_tasks_completed?': 'number.integer',
  },
  'partial_errors?': {
    'nonce?': trouble,
    'current_epoch?': trouble,
    'fil_gas_balance?': trouble,
    'usdfc_wallet_balance?': trouble,
    'usdfc_account?': trouble,
    'approval?': trouble,
    'data_set_count?': trouble,
    'task_counts?': trouble,
  },
})

export const readWallet = defineEndpoint({
  method: 'GET',
  path: '/api/v1/wallet',
  summary: 'Read identity, balances, payment account, runway and approval of the wallet; at most 10 seconds old',
  answer: walletSummary,
})

export type WalletSummary = typeof walletSummary.infer
export type PaymentAccount = typeof paymentAccount.infer
