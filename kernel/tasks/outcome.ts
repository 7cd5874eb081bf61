/**
 * The result of one run of a task. A run that throws had a temporary fault (or a bug) and is retried with backoff until its attempts
 * are used up.
 */
export type Outcome =
  | { readonly kind: 'done' }
  /** Not yet possible. Uses no attempt and sets no error (I-08). `reason` is a stable word shown to the operator. */
  | { readonly kind: 'wait'; readonly reason: string; readonly untilMs: number; readonly message?: string }
  /** Permanent failure. An operator may retry when `retryable`. */
  | { readonly kind: 'fail'; readonly code: string; readonly message: string; readonly retryable: boolean }

export const done = (): Outcome => ({ kind: 'done' })

/** `untilMs`: clock time of the next run; an enqueue with the same key wakes the task sooner. */
export const wait = (reason: string, untilMs: number, message?: string): Outcome =>
  message === undefined ? { kind: 'wait', reason, untilMs } : { kind: 'wait', reason, untilMs, message }

export const fail = (code: string, message: string, { retryable }: { readonly retryable: boolean }): Outcome => ({
  kind: 'fail',
  code,
  message,
  retryable,
})
