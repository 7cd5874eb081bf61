/** Facts from which readiness is judged. Amounts in 10^-18 of their token. */
import type { VersionVerdict } from '../chain/contract-version-policy.ts'
import type { Read, ReadTrouble } from '../chain/readiness-reads.ts'

/** Settings that must be valid before the chain is read. */
export type CheckedSetting = 'private_key' | 'rpc_url' | 'network' | 'default_copies'

export interface ReadinessFacts {
  /** Invalid settings. If there are any, the chain is not read. */
  readonly unusable: ReadonlySet<CheckedSetting>
  readonly defaultCopies: number
  /** `needed`: the providers of a devnet have loopback addresses. */
  readonly privateNetworks: 'refused' | 'allowed' | 'needed'
  readonly chain: ChainFacts
}

export const judgePrivateNetworks = (settings: {
  readonly allow_private_networks: boolean
  readonly network: string
}): ReadinessFacts['privateNetworks'] =>
  settings.allow_private_networks ? (settings.network === 'devnet' ? 'needed' : 'allowed') : 'refused'

export type ChainFacts =
  | { readonly kind: 'skipped' }
  /** The client could not be created, or the node did not return its chain ID. */
  | { readonly kind: 'unreachable'; readonly because: ReadTrouble | 'configuration' }
  | { readonly kind: 'other_network'; readonly reportedChainId: number; readonly expectedChainId: number }
  | ({ readonly kind: 'answered' } & ChainReads)

export interface ChainReads {
  /** Versions of the contracts that the other reads use. */
  readonly contracts: Read<VersionVerdict>
  readonly gas: Read<bigint>
  readonly usdfc: Read<bigint>
  /** Null without running costs. */
  readonly runwaySeconds: Read<number | null>
  /** Is undefined when no plugin knows providers. */
  readonly providers: Read<ProviderCounts> | undefined
  readonly estimate: Read<StorageEstimate>
}

export interface ProviderCounts {
  /** Approved and active, with an address that passes the egress guard. */
  readonly usable: number
  /** Providers of them that do not answer our calls. */
  readonly silent: number
  /** Providers with our data sets, and those of them that do not answer. Zero for a draft. */
  readonly inUse: number
  readonly inUseSilent: number
}

export type ApprovalVerdict =
  | { readonly kind: 'enough' }
  /** `advice` is the next step of the operator. */
  | { readonly kind: 'lacking' | 'nearly_used' | 'above_settings'; readonly advice: string }

/** Cost of one smallest object on new data sets, one per copy. */
export interface StorageEstimate {
  /** Fees and new lockup. */
  readonly cost: bigint
  readonly depositNeeded: bigint
  readonly cdnLockup: bigint
  readonly approval: ApprovalVerdict
}
