/** What is known before the readiness of the chain is judged. Amounts are 10^-18 of their token. */
import type { VersionVerdict } from '../chain/contract-version-policy.ts'

/** Why a question got no answer, in words that hold no address. */
export type ReadTrouble = 'timeout' | 'RPC failure' | 'contract refused'

export type Read<T> = { readonly isKnown: true; readonly value: T } | { readonly isKnown: false; readonly because: ReadTrouble }

/** Settings that must be usable before the chain is asked anything. */
export type CheckedSetting = 'private_key' | 'rpc_url' | 'network' | 'default_copies'

export interface ReadinessFacts {
  /** Those that cannot be used. While there is one, the chain is not asked. */
  readonly unusable: ReadonlySet<CheckedSetting>
  readonly defaultCopies: number
  readonly allowPrivateNetworks: boolean
  readonly chain: ChainFacts
}

export type ChainFacts =
  | { readonly kind: 'unasked' }
  /** No client could be made, or the node does not even tell its chain. */
  | { readonly kind: 'silent'; readonly because: ReadTrouble | 'configuration' }
  | { readonly kind: 'other_network'; readonly reportedChainId: number; readonly expectedChainId: number }
  | ({ readonly kind: 'answered' } & ChainReads)

export interface ChainReads {
  /** Of the contracts whose answers everything else is read from. */
  readonly contracts: Read<VersionVerdict>
  readonly gas: Read<bigint>
  readonly usdfc: Read<bigint>
  /** Null while nothing is being spent. */
  readonly runwaySeconds: Read<number | null>
  /** Approved, active, and at an address that may be used. */
  readonly usableProviders: Read<number>
  readonly estimate: Read<StorageEstimate>
}

export type ApprovalVerdict =
  | { readonly kind: 'enough' }
  /** `advice` is the next step of the operator. */
  | { readonly kind: 'lacking' | 'nearly_used' | 'above_settings'; readonly advice: string }

/** For one smallest object on new data sets, one per copy. */
export interface StorageEstimate {
  /** Fees and what is newly locked. */
  readonly cost: bigint
  readonly depositNeeded: bigint
  readonly cdnLockup: bigint
  readonly approval: ApprovalVerdict
}
