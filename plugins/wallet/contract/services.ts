/** The services of the wallet: chain client, signing key, settings, funds. */
import { defineService, type SettingValues } from '#kernel'
import type { Chain, openAccount } from '../chain/clients.ts'
import type { NamedPrices } from '../chain/price-list-policy.ts'
import type { chainSection } from '../settings.ts'

/** The wallet's key as a local account: it signs and never sends. */
export type Signer = ReturnType<typeof openAccount>

/** The chain client; it sends no request before the first read. */
export const chainClient = defineService<Chain>('wallet.chain-client')
export const signer = defineService<Signer>('wallet.signer')

/** Values of the configuration section `chain`. */
export type ChainSettings = SettingValues<(typeof chainSection)['keys']>
export const chainSettings = defineService<ChainSettings>('wallet.chain-settings')

/** Planned work to be paid for. */
export interface Spending {
  /** New data sets to create. */
  readonly dataSets: number
  readonly pieces: number
  readonly bytes: number
  /** Bytes already in the data set of these pieces. The first piece of an empty data set starts its monthly fee. */
  readonly heldBytes: number
}

export type FundingVerdict =
  | { readonly isCovered: true }
  /** `message` names the next step, such as the missing deposit. */
  | { readonly isCovered: false; readonly because: 'deposit' | 'approval' | 'contracts' | 'chain'; readonly message: string }

/** Checks whether the wallet can pay for planned work. The account is cached for a few epochs; every wallet operation clears the cache. */
export interface Funds {
  canPay(spending: Spending): Promise<FundingVerdict>
  /** Whether a service can be ended: the account must have no debt. `reserve`: that of the data set on chain. */
  canTerminate(reserve: { readonly balance: bigint; readonly pending: bigint }): Promise<FundingVerdict>
  /** The current price list, by which a paid attempt is recorded; undefined while it cannot be read. */
  prices(): Promise<NamedPrices | undefined>
  /** Clears the cache, after a provider reported missing funds or an operation changed them. */
  forget(): void
}

export const funds = defineService<Funds>('wallet.funds')

/** Deposit and approval for first use. */
export interface WalletSetup {
  /**
   * Idempotent: tops the payment account up to `deposit` (base units) and approves the storage service if needed.
   * Rejects with SvcError `wallet_operation_failed` when the chain rejects the transaction, `wallet_operation_undecided` while an earlier
   * operation is open (the next call looks it up first), `service_unavailable` when the chain does not answer.
   */
  ensureFunded(request: { readonly deposit: bigint }): Promise<void>
}

export const walletSetup = defineService<WalletSetup>('wallet.setup')

/** What became of a request for a wallet transaction. */
export type TransactionStart =
  | { readonly kind: 'sent' }
  /** Nothing was signed: another transaction of the wallet is not final yet. `message`: why that one cannot land now, and the next step. */
  | { readonly kind: 'queued'; readonly message?: string }
  /** Nothing was signed: the fee is above a limit (I-33), or the contract would revert the call now. */
  | { readonly kind: 'refused'; readonly reason: 'fee' | 'reverted'; readonly message: string }
  /** The node rejected it, and nothing was sent. */
  | { readonly kind: 'failed'; readonly message: string }

/** A wallet transaction, looked up. */
export type TransactionOutcome =
  /** Not final yet. `message`: why it cannot land now, and the next step. */
  | { readonly kind: 'open'; readonly message?: string }
  | { readonly kind: 'confirmed' }
  /** No transaction was signed with this id. */
  | { readonly kind: 'unsent' }
  /** It ended without effect: reverted, rejected by the node, or replaced by another transaction. */
  | { readonly kind: 'failed'; readonly message: string }

/** Ends services on chain by transactions of the wallet, one after the other. No call waits for a block. Rejects while the chain does not answer. */
export interface PayerTerminations {
  /** Signs, records (I-04) and sends the transaction. An id is used once. */
  begin(request: { readonly id: string; readonly dataSetId: bigint }): Promise<TransactionStart>
  /** Looks the transaction up; bytes that no node knows are sent again (I-05), and replaced when their fee is too low (I-44). */
  follow(id: string): Promise<TransactionOutcome>
}

export const payerTerminations = defineService<PayerTerminations>('wallet.payer-terminations')
