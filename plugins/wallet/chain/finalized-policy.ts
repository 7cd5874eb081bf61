interface FinalizedEvidence {
  readonly head: bigint
  readonly confirmations: number
  readonly finalityEpochs: number
  /** The node's `finalized` block, if it reports one. */
  readonly reported: bigint | undefined
}

/**
 * Returns the newest epoch that reorganisations cannot change: the depth of expected consensus, or the node's finalized block if it is newer
 * but not newer than the confirmations (fast finality certificates arrive within minutes). Ignores a report outside these bounds.
 */
export function chooseFinalized({ head, confirmations, finalityEpochs, reported }: FinalizedEvidence): bigint {
  const atDepth = (depth: number) => (head > BigInt(depth) ? head - BigInt(depth) : 0n)
  const byDepth = atDepth(Math.max(finalityEpochs, confirmations))
  const isPlausible = reported !== undefined && reported >= byDepth && reported <= atDepth(confirmations)
  return isPlausible ? reported : byDepth
}
