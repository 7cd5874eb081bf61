/** Everything other plugins may know of the wallet: who pays, on which chain, and whether the money is there. */
import { defineService } from '#kernel'

/** The chain the service works on. Amounts are in base units (18 decimals). */
export interface ChainAccess {
  readonly network: 'calibration' | 'mainnet' | 'devnet'
  readonly chainId: number
  /** Address of the configured wallet, the payer of every rail. */
  readonly payer: `0x${string}`
  /** Length of an epoch: waits are counted in epochs so that they fit a fast local chain too. */
  readonly epochMs: number
}

export const chainAccess = defineService<ChainAccess>('wallet.chain-access')

export interface Spending {
  /** New data sets to create. */
  readonly dataSets: number
  readonly pieces: number
  readonly bytes: number
}

export type FundingVerdict =
  | { readonly isCovered: true }
  | { readonly isCovered: false; readonly because: 'deposit' | 'approval' | 'unknown'; readonly message: string }

/** Is there enough for the next step? Answers are cached for a few epochs and dropped after every wallet operation. */
export interface Funds {
  canPay(spending: Spending): Promise<FundingVerdict>
}

export const funds = defineService<Funds>('wallet.funds')

/** Deposit and approval for first use. */
export interface WalletSetup {
  /** Idempotent: deposits what is missing up to `deposit` base units and approves the storage service when it is not. */
  ensureFunded(request: { readonly deposit: bigint }): Promise<void>
}

export const walletSetup = defineService<WalletSetup>('wallet.setup')
