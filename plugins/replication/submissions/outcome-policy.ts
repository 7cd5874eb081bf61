/** Decides the outcome of a submission whose answer was lost. Pure; the reasons are in docs/adr. */

export interface Evidence {
  /** The contract has our nonce at the confirmed epoch. */
  readonly hasLanded: boolean
  /** Time since these bytes were last sent. */
  readonly ageMs: number
  /** Time since these bytes were first sent. */
  readonly totalAgeMs: number
  /** The provider reports that its transaction failed. */
  readonly isReportedFailed: boolean
  /** Nonces of the provider's sender: pending, and at the confirmed epoch. Undefined: no answer from the chain. */
  readonly sender: { readonly pooled: number; readonly final: number } | undefined
  /** `pooled` as read after the provider's handling time, when it could no longer send a transaction for the request. */
  readonly observedNonce: number | null
}

export type OutcomeVerdict =
  | { readonly kind: 'landed' }
  /** Every transaction that the sender may have sent for the request is final, and none used our nonce. */
  | { readonly kind: 'not_landed' }
  /** Record the sender's nonce: once it is final and ours is unused, the request did not land. */
  | { readonly kind: 'observe'; readonly senderNonce: number }
  | { readonly kind: 'undecided'; readonly needsAttention: boolean }

export function judgeOutcome(evidence: Evidence, limits: { readonly handlingMs: number; readonly attentionMs: number }): OutcomeVerdict {
  if (evidence.hasLanded) return { kind: 'landed' }
  const { sender, observedNonce } = evidence
  const undecided: OutcomeVerdict = { kind: 'undecided', needsAttention: evidence.totalAgeMs >= limits.attentionMs }
  if (!sender) return undecided
  if (observedNonce !== null) return sender.final >= observedNonce ? { kind: 'not_landed' } : undecided
  // While the provider may still handle the request, it could send another transaction.
  return evidence.isReportedFailed || evidence.ageMs >= limits.handlingMs ? { kind: 'observe', senderNonce: sender.pooled } : undecided
}
