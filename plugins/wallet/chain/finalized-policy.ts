/** Which epoch no reorganisation reaches any more. Pure. */
export interface FinalizedEvidence {
  readonly head: bigint
  readonly confirmations: number
  readonly finalityEpochs: number
  /** The node's `finalized` block, where it reports one. */
  readonly reported: bigint | undefined
}

/**
 * The depth of expected consensus, or the node's finalized block where it is newer and still behind the confirmations: fast finality
 * certificates arrive within minutes. A report outside these bounds is ignored.
 */
export function chooseFinalized({ head, confirmations, finalityEpochs, reported }: FinalizedEvidence): bigint {
  const atDepth = (depth: number) => (head > BigInt(depth) ? head - BigInt(depth) : 0n)
  const byDepth = atDepth(Math.max(finalityEpochs, confirmations))
  const isPlausible = reported !== undefined && reported >= byDepth && reported <= atDepth(confirmations)
  return isPlausible ? reported : byDepth
}
