/** Decides from evidence what became of a submission whose answer was lost. Pure; see docs/adr for the reasoning. */

export interface Evidence {
  /** The contract recorded our nonce, at the final depth. */
  readonly hasLanded: boolean
  /** Since these bytes were last sent. */
  readonly ageMs: number
  /** Since they were sent for the first time. */
  readonly totalAgeMs: number
  /** The provider itself says that its transaction failed. */
  readonly isReportedFailed: boolean
  /** Transactions of the provider's sender: counted with its pool, and at the final depth. Undefined: the chain did not say. */
  readonly sender: { readonly pooled: number; readonly final: number } | undefined
  /** `pooled` as it was observed once the provider could not add to it on our behalf any more. */
  readonly observedNonce: number | null
}

export type OutcomeVerdict =
  | { readonly kind: 'landed' }
  /** Every transaction that the sender could have made of our request is final, and none used our nonce. */
  | { readonly kind: 'not_landed' }
  /** Remember the sender's count: once that many are final, silence means no. */
  | { readonly kind: 'observe'; readonly senderNonce: number }
  | { readonly kind: 'undecided'; readonly needsAttention: boolean }

export function judgeOutcome(evidence: Evidence, limits: { readonly handlingMs: number; readonly attentionMs: number }): OutcomeVerdict {
  if (evidence.hasLanded) return { kind: 'landed' }
  const { sender, observedNonce } = evidence
  const undecided: OutcomeVerdict = { kind: 'undecided', needsAttention: evidence.totalAgeMs >= limits.attentionMs }
  if (!sender) return undecided
  if (observedNonce !== null) return sender.final >= observedNonce ? { kind: 'not_landed' } : undecided
  // While the provider may still be working on the request, a transaction could appear that nobody has seen yet.
  return evidence.isReportedFailed || evidence.ageMs >= limits.handlingMs ? { kind: 'observe', senderNonce: sender.pooled } : undecided
}
