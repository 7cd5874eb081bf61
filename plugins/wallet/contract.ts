/** Everything other plugins may know of the wallet: who pays, on which chain, and whether the money is there. */

import type { SettingValues } from '#kernel'
import { defineService } from '#kernel'
import type { Chain, openAccount } from './chain/clients.ts'
import type { chainSection } from './settings.ts'

export type { Chain } from './chain/clients.ts'
/** The wallet's key: signs locally, sends nothing. */
export type Signer = ReturnType<typeof openAccount>

/** The chain client; nothing is asked before the first read. */
export const chainClient = defineService<Chain>('wallet.chain-client')
export const signer = defineService<Signer>('wallet.signer')

/** The values of the configuration section `chain` that others need. */
export type ChainSettings = SettingValues<(typeof chainSection)['keys']>
export const chainSettings = defineService<ChainSettings>('wallet.chain-settings')

/** What the next step would add to the bill. */
export interface Spending {
  /** New data sets to create. */
  readonly dataSets: number
  readonly pieces: number
  readonly bytes: number
  /** Bytes that the data set of these pieces already holds: the first piece of an empty one starts its monthly fee. */
  readonly heldBytes: number
}

export type FundingVerdict =
  | { readonly isCovered: true }
  /** `message` names what to do, such as the deposit that is missing. */
  | { readonly isCovered: false; readonly because: 'deposit' | 'approval' | 'contracts' | 'chain'; readonly message: string }

/** Is there enough for the next step? The account is read at most once in a few epochs; every wallet operation drops what was read. */
export interface Funds {
  canPay(spending: Spending): Promise<FundingVerdict>
  /** Forgets what was read, because a provider reported missing funds or an operation changed them. */
  forget(): void
}

export const funds = defineService<Funds>('wallet.funds')

/** Deposit and approval for first use. */
export interface WalletSetup {
  /**
   * Idempotent: deposits what the payment account lacks of `deposit` (base units) and approves the storage service where it is not.
   * Rejects with SvcError `wallet_operation_failed` when the chain refuses, `wallet_operation_undecided` while an earlier operation is
   * open, which the next call looks up first, `service_unavailable` when the chain does not answer.
   */
  ensureFunded(request: { readonly deposit: bigint }): Promise<void>
}

export const walletSetup = defineService<WalletSetup>('wallet.setup')
