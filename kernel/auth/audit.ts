/** The audit log (I-35): who signed in, what was refused for safety, what was changed. One line each; a secret is never part of one. */
import type { Log, LogFields } from '../log.ts'

export interface SignInOutcome {
  readonly outcome: 'accepted' | 'refused' | 'blocked'
  readonly how: 'form' | 'basic'
  /** Undefined for a name that is not the operator's: it may be a password typed into the wrong field. */
  readonly by: string | undefined
  readonly client: string
  /** Of a blocked one: its number among those of the client. Not each of them has a line. */
  readonly attempts?: number | undefined
}

export interface AuditedRequest {
  /** Undefined when nobody is signed in. */
  readonly by: string | undefined
  readonly how: 'session' | 'basic' | 'none'
  readonly client: string
  readonly method: string
  /** The pattern of the route, such as `/api/v1/tasks/:id/retry`; undefined when no route matched. */
  readonly route: string | undefined
}

export interface Audit {
  signIn(outcome: SignInOutcome): void
  /** The limiter refuses a client from now on. */
  clientBlocked(block: { readonly client: string; readonly failures: number; readonly seconds: number }): void
  /** A request from a page that is not the dashboard's, or with a Host that is not this machine's. */
  requestRefused(refusal: AuditedRequest & { readonly code: string }): void
  /** `status` is undefined when the connection ended before the answer. */
  change(change: AuditedRequest & { readonly subject: LogFields; readonly status: number | undefined }): void
}

export function createAudit(log: Log): Audit {
  // I-35: a level of its own, so that `logging.level = error` leaves none out.
  const lines = log.child('audit', 'info')
  return {
    signIn: (outcome) => lines[outcome.outcome === 'accepted' ? 'info' : 'warn']('sign-in', { ...outcome }),
    clientBlocked: (block) => lines.warn('client blocked', { ...block }),
    requestRefused: (refusal) => lines.warn('request refused', { ...refusal }),
    change: (change) => lines.info('change', { ...change }),
  }
}
