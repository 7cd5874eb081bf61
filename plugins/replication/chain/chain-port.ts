/** The part of the wallet's chain client that the storage plugin uses for reads. */
import type { Chain } from '#plugins/wallet'

/** Reads reject with an error whose `code` is `chain_unreachable` (retry) or `chain_reverted` (with `errorName`). */
export type ChainPort = Pick<Chain, 'network' | 'contractVersions' | 'currentEpoch' | 'read' | 'readAt' | 'readFinal' | 'warmStorageView'>

/** Name of the contract error in an error of the chain client; undefined for other errors. */
export function revertNameOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'chain_reverted' || !('errorName' in error)) return undefined
  return typeof error.errorName === 'string' ? error.errorName : undefined
}
