/** The services of the wallet: chain client, signing key, settings, funds. */
import { defineService, type SettingValues, type Tx } from '#kernel'
import type { Chain, openAccount } from '../chain/clients.ts'
import type { FundingView } from '../chain/payment-account.ts'
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

export interface NamedPrices {
  /** Equal prices have equal fingerprints. */
  readonly fingerprint: string
  /** The prices as JSON, in 10^-18 USDFC and epochs. */
  readonly list: string
}

/** Checks whether the wallet can pay for planned work. The account is cached for a few epochs; every wallet operation clears the cache. */
export interface Funds {
  canPay(spending: Spending): Promise<FundingVerdict>
  /** Whether a service can be ended: the account must have no debt. `reserve`: that of the data set on chain. */
  canTerminate(reserve: { readonly balance: bigint; readonly pending: bigint }): Promise<FundingVerdict>
  /** The current price list, by which a paid attempt is recorded; undefined while it cannot be read. */
  prices(): Promise<NamedPrices | undefined>
  /** Account, approval and prices; undefined while they cannot be read. */
  view(): Promise<FundingView | undefined>
  /** Account and prices at an epoch, which further nodes confirm. Rejects with the errors of the chain client. */
  at(epoch: bigint): Promise<Pick<FundingView, 'account' | 'prices'>>
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

export type OperationType = 'fund' | 'withdraw' | 'approve' | 'terminate'

/** An id is used once for each type. */
export interface OperationKey {
  readonly type: OperationType
  readonly id: string
}

/** Amounts in base units of USDFC. */
export type OperationRequest =
  | { readonly type: 'fund' | 'withdraw'; readonly id: string; readonly amount: bigint }
  /** Sets the allowances of the storage service to the limits of `chain.spending`. */
  | { readonly type: 'approve'; readonly id: string }
  | { readonly type: 'terminate'; readonly id: string; readonly dataSetId: bigint }

export type OperationOutcome =
  /** Not final yet. `message`: why it cannot land now, with the next step. */
  | { readonly kind: 'open'; readonly reason: 'confirmation' | 'wallet' | 'fee'; readonly message?: string }
  /** `hash`: undefined when the chain needed no transaction. */
  | { readonly kind: 'confirmed'; readonly hash: string | undefined }
  /** No operation has this key. */
  | { readonly kind: 'unsent' }
  /** It ended without effect. `isSent` false: nothing was sent for it, so it may be requested again. */
  | { readonly kind: 'failed'; readonly code: OperationFailure; readonly message: string; readonly isSent: boolean }

export type OperationFailure = 'wallet_operation_failed' | 'fee_above_limit' | 'chain_answer_implausible'

/** The transactions of the wallet: recorded before they are sent (I-04), one after the other (I-50), each followed by a task until it is final. */
export interface WalletOperations {
  /**
   * Requests an operation in the transaction of the caller; the same request again changes nothing. Its task then signs and sends it.
   * Rejects with SvcError `wallet_idempotency_conflict` when the key has another amount or data set.
   */
  begin(tx: Tx, request: OperationRequest): Promise<void>
  /**
   * One step: signs and sends it when it is its turn, or looks it up. Never waits for a block. Bytes that no node knows are sent again
   * (I-05), and replaced when their fee is too low (I-44). Rejects while the chain does not answer.
   */
  follow(key: OperationKey): Promise<OperationOutcome>
}

export const walletOperations = defineService<WalletOperations>('wallet.operations')

/** Whether no usable answer of the chain came: no node answered, or two differ. Tasks wait then, and use no attempt (I-08). */
export const isChainUnreachable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'chain_unreachable'
