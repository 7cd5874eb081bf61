/**
 * What one run of a task came to. A run that throws met a passing fault (or a bug) and is retried with backoff until its attempts
 * are used up.
 */
export type Outcome =
  | { readonly kind: 'done' }
  /** Not yet possible. Uses no attempt and sets no error (I-08). `reason` is a stable word shown to the operator. */
  | { readonly kind: 'wait'; readonly reason: string; readonly untilMs: number; readonly message?: string }
  /** Cannot succeed by itself. An operator may retry when `retryable`. */
  | { readonly kind: 'fail'; readonly code: string; readonly message: string; readonly retryable: boolean }

export const done = (): Outcome => ({ kind: 'done' })

/** `untilMs`: the moment, in clock milliseconds, at which to look again; an enqueue under the same key wakes it sooner. */
export const wait = (reason: string, untilMs: number, message?: string): Outcome =>
  message === undefined ? { kind: 'wait', reason, untilMs } : { kind: 'wait', reason, untilMs, message }

export const fail = (code: string, message: string, { retryable }: { readonly retryable: boolean }): Outcome => ({
  kind: 'fail',
  code,
  message,
  retryable,
})
