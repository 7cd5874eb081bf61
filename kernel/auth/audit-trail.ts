import type { AuditLine } from './audit.ts'

type Keeper = (line: AuditLine) => void

/** Passes the lines of the audit log to what keeps them beside the log, such as for a page of the dashboard. */
export class AuditTrail {
  readonly #keepers: Keeper[] = []

  /** A keeper must not throw and must not wait. It gets the lines from its call on. */
  keep(keeper: Keeper): void {
    this.#keepers.push(keeper)
  }

  readonly add: Keeper = (line) => {
    for (const keeper of this.#keepers) keeper(line)
  }
}
