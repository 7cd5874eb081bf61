/** @walk copies 10: records the attempt, then sends it */
import { advance } from './transition-policy.ts'

/** What the receiver of a paid request reports. */
export interface SendAnswer {
  readonly kind: 'ok' | 'landed' | 'uncertain' | 'not_sent'
}

/** Answers after which the request may have had an effect. */
export type Sent<Answer extends SendAnswer> = Exclude<Answer, { readonly kind: 'not_sent' }>
type NotSent<Answer extends SendAnswer> = Extract<Answer, { readonly kind: 'not_sent' }>

/** One kind of paid request: how it is recorded, sent, and what follows from the answer. */
export interface SendPort<Attempt, Answer extends SendAnswer, Result> {
  /** Commits the attempt with its bytes. False or undefined: it is no longer ready, because another run took it. */
  record(): Promise<Attempt | false | undefined>
  send(): Promise<Answer>
  /** Records the answer. */
  answered(answer: Sent<Answer>, attempt: Attempt): Promise<Result>
  /** The request had no effect: reopens the attempt, or withdraws it. */
  notSent(answer: NotSent<Answer>, attempt: Attempt): Promise<Result>
  readonly probes?: { recorded(): Promise<void> | undefined; sent(): Promise<void> | undefined }
}

const events = { ok: 'answered_ok', landed: 'answered_landed', uncertain: 'answered_uncertain', not_sent: 'not_sent' } as const

/**
 * Sends a ready attempt once. I-04: it is recorded first; after a crash in between, `settleAttempt` looks it up on chain before anything is
 * sent again. Undefined, with nothing sent, when another run took the attempt.
 */
export async function sendAttempt<Attempt, Answer extends SendAnswer, Result>(
  port: SendPort<Attempt, Answer, Result>,
): Promise<Result | undefined> {
  const attempt = await port.record()
  if (attempt === false || attempt === undefined) return undefined
  const recorded = advance('ready', 'record')
  await port.probes?.recorded()
  const answer = await port.send()
  await port.probes?.sent()
  advance(recorded, events[answer.kind])
  return answer.kind === 'not_sent' ? port.notSent(answer as NotSent<Answer>, attempt) : port.answered(answer as Sent<Answer>, attempt)
}
