/** @walk copies 12: looks an attempt up on chain and sends nothing */
import { judgeOutcome, type OutcomeLimits, type SenderNonces } from './outcome-policy.ts'
import { type AttemptState, advance } from './transition-policy.ts'

export type LookUp<Final> =
  /** `ended`: it can never land. */
  | { readonly kind: 'landed' | 'ended'; readonly final: Final }
  /** Nothing on chain yet. */
  | { readonly kind: 'open' }
  /** Neither mined nor in a pool; the nonce of the wallet's own transaction is unused, so the same bytes may be sent again. */
  | { readonly kind: 'absent' }

/** Why an attempt may be sent again. `operator`: undecided, and an operator accepts a second request. */
export type ReopenCause = 'not_landed' | 'absent' | 'operator'

export interface Undecided {
  readonly nowMs: number
  /** Nonce of the sender to record: once it is final and the attempt is not on chain, it did not land. */
  readonly observe: number | undefined
  readonly needsAttention: boolean
}

/** Facts about a request that another sender turns into transactions: without them only the look-up decides. */
interface SenderEvidence {
  readonly sentAtMs: number | null
  readonly observedNonce: number | null
  readonly limits: OutcomeLimits
  /** Whether the receiver reports that its transaction failed. */
  isReportedFailed?(): Promise<boolean>
  /** Resolves with undefined without an answer from the chain. */
  countSent(): Promise<SenderNonces | undefined>
}

/** One kind of paid request: how its outcome is looked up, and what follows from it. */
export interface SettlePort<Final, Result> {
  readonly state: AttemptState
  now(): number
  /** `again`: before the attempt is reopened, after the sender's transactions were counted. */
  lookUp(round: 'first' | 'again'): Promise<LookUp<Final>>
  readonly evidence?: SenderEvidence
  /** An operator accepts a second request if the chain still shows no effect of this one. */
  readonly isAccepted?: boolean
  /** It landed, or it ended. */
  settled(final: Final): Promise<Result>
  reopened(why: { readonly cause: ReopenCause; readonly isReportedFailed: boolean; readonly nowMs: number }): Promise<Result>
  undecided(open: Undecided): Promise<Result>
}

/** Looks up the outcome of an attempt. Sends nothing: an undecided attempt is looked up again later (I-05). */
export async function settleAttempt<Final, Result>(port: SettlePort<Final, Result>): Promise<Result> {
  const first = await port.lookUp('first')
  if (first.kind === 'landed' || first.kind === 'ended') return settle(port, first)
  const nowMs = port.now()
  const reopen = (cause: ReopenCause, isReportedFailed: boolean): Promise<Result> => {
    advance(port.state, 'reopened')
    return port.reopened({ cause, isReportedFailed, nowMs })
  }
  if (first.kind === 'absent') return reopen('absent', false)
  const { open, isReportedFailed } = await weigh(port, nowMs)
  if (!open) {
    // The transaction may have become final since the first look-up.
    const again = await port.lookUp('again')
    if (again.kind === 'landed' || again.kind === 'ended') return settle(port, again)
    return reopen(port.isAccepted ? 'operator' : 'not_landed', isReportedFailed)
  }
  advance(port.state, open.observe !== undefined ? 'observed' : open.needsAttention ? 'attention' : 'undecided')
  return port.undecided(open)
}

function settle<Final, Result>(port: SettlePort<Final, Result>, found: Extract<LookUp<Final>, { readonly final: Final }>): Promise<Result> {
  advance(port.state, found.kind)
  return port.settled(found.final)
}

interface Weighed {
  /** Is undefined when it did not land, if a last look-up agrees. */
  readonly open: Undecided | undefined
  readonly isReportedFailed: boolean
}

async function weigh({ evidence, isAccepted }: SettlePort<unknown, unknown>, nowMs: number): Promise<Weighed> {
  if (isAccepted) return { open: undefined, isReportedFailed: false }
  if (!evidence) return { open: { nowMs, observe: undefined, needsAttention: false }, isReportedFailed: false }
  const isReportedFailed = (await evidence.isReportedFailed?.()) ?? false
  const verdict = judgeOutcome(
    {
      ageMs: nowMs - (evidence.sentAtMs ?? nowMs),
      isReportedFailed,
      sender: await evidence.countSent(),
      observedNonce: evidence.observedNonce,
    },
    evidence.limits,
  )
  if (verdict.kind === 'not_landed') return { open: undefined, isReportedFailed }
  const observe = verdict.kind === 'observe' ? verdict.senderNonce : undefined
  return { open: { nowMs, observe, needsAttention: verdict.kind === 'undecided' && verdict.needsAttention }, isReportedFailed }
}
