/** The part of the wallet's chain client that this plugin reads with. */
import type { Chain } from '#plugins/wallet'

/** Reads reject with an error whose `code` is `chain_unreachable` (retry) or `chain_reverted` (with `errorName`). */
export type ChainPort = Pick<Chain, 'network' | 'contractVersions' | 'currentEpoch' | 'read' | 'readAt' | 'readFinal' | 'warmStorageView'>

/** The contract refused the read. */
export const isReverted = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'chain_reverted'

/** Name of the contract error in an error of the chain client; undefined for other errors. */
export function revertNameOf(error: unknown): string | undefined {
  if (!isReverted(error)) return undefined
  const { errorName } = error as { readonly errorName?: unknown }
  return typeof errorName === 'string' ? errorName : undefined
}
