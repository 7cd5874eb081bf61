/** Decides the outcome of a submission whose answer was lost. Pure; the reasons are in docs/adr. */

/** Transaction counts of an address: with the mempool, and at the final epoch. */
export interface SenderNonces {
  readonly pooled: number
  readonly final: number
}

export interface OutcomeLimits {
  /** A receiver works on a request at most this long. */
  readonly handlingMs: number
  /** An outcome that is open after this is reported to an operator. */
  readonly attentionMs: number
}

/** Facts about an attempt that a look-up did not find on chain. */
export interface Evidence {
  /** Time since the attempt was sent. */
  readonly ageMs: number
  /** The provider reports that its transaction failed. */
  readonly isReportedFailed: boolean
  /** Nonces of the provider's sender: pending, and at the confirmed epoch. Undefined: no answer from the chain. */
  readonly sender: SenderNonces | undefined
  /** `pooled` as read after the provider's handling time, when it could no longer send a transaction for the request. */
  readonly observedNonce: number | null
}

export type OutcomeVerdict =
  /** Every transaction that the sender may have sent for the request is final, and none used our nonce. */
  | { readonly kind: 'not_landed' }
  /** Record the sender's nonce: once it is final and ours is unused, the request did not land. */
  | { readonly kind: 'observe'; readonly senderNonce: number }
  | { readonly kind: 'undecided'; readonly needsAttention: boolean }

export function judgeOutcome(evidence: Evidence, limits: OutcomeLimits): OutcomeVerdict {
  const { sender, observedNonce } = evidence
  const undecided: OutcomeVerdict = { kind: 'undecided', needsAttention: evidence.ageMs >= limits.attentionMs }
  if (!sender) return undecided
  if (observedNonce !== null) return sender.final >= observedNonce ? { kind: 'not_landed' } : undecided
  // While the provider may still handle the request, it could send another transaction.
  return evidence.isReportedFailed || evidence.ageMs >= limits.handlingMs ? { kind: 'observe', senderNonce: sender.pooled } : undecided
}
