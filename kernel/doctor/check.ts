/**
 * @recipe a check of `svc doctor`
 * Declare `defineDoctorCheck({ name: '<plugin>.<subject>', title, proves, cost, needs, uses, look })` of `#kernel/system`, contributed
 * through `doctorChecks.load(…)`. `look` compares one bounded page and returns its findings and the cursor of the next page; it reads rows
 * only through the `read` that it gets, which does not block the event loop. Before it reports a difference it reads the row again,
 * because a gateway may be running. Rules over rows are statements that find violations: `checkOfRules`. Every finding says what is wrong,
 * where, and the next step. A repair without risk is a `defineDoctorFix`, contributed through `doctorFixes`; it tests the damage again,
 * and its target is untrusted. `e2e/cli/doctor.test.ts` has a table of damages; the tests of storage and replication use the same rules.
 */
/** Checks that plugins contribute to `svc doctor`, and fixes of what they find. */

import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'
import type { Reader } from '../db/database.ts'
import { defineErrors } from '../errors.ts'

/** What a finding is about, in names that a person can use. */
interface FindingSubject {
  /** Word such as `object`, `content`, `cache file`, `data set`. */
  readonly kind: string
  readonly id: string
  readonly bucket?: string
  readonly key?: string
}

export interface Finding {
  /** `error`: data or money is affected. `warning`: nothing is lost yet. */
  readonly severity: 'error' | 'warning'
  /** The violated invariant of ARCHITECTURE.md. */
  readonly invariant?: string
  readonly subject: FindingSubject
  /** What is wrong, without the subject. */
  readonly message: string
  /** The operator's next step. */
  readonly repair: string
  /** A fix that `--fix` applies. `target` identifies what it changes. */
  readonly fix?: { readonly name: string; readonly target: string }
}

export interface Look {
  /** Rows, read without blocking the event loop. */
  readonly read: Reader
  /** Where the previous page ended. */
  readonly after: string | undefined
  /** Entries to compare. Undefined: all of them, in pages. */
  readonly sample: number | undefined
  /** Is true while a gateway runs: rows and files change during the check. */
  readonly isOnline: boolean
  /** Aborts at the deadline of the page. */
  readonly signal: AbortSignal
}

/** One page of a check: a bounded part of its work. */
export interface LookPage {
  readonly findings: readonly Finding[]
  /** Rows, files, answers or rules that were compared. */
  readonly compared: number
  /** `after` of the next page. Absent: the check is complete. */
  readonly next?: string
  /** More is damaged than the findings list. */
  readonly isCut?: boolean
}

export interface DoctorCheck<U extends Uses = Uses> {
  /** `<plugin>.<subject>`, such as `storage.cache-files`. */
  readonly name: string
  /** What is compared, for lists of checks. */
  readonly title: string
  /** Ids of the invariants that hold when it finds nothing. */
  readonly proves: readonly string[]
  /** `quick`: compares everything. `whole`: compares a sample, and everything with `--whole`. */
  readonly cost: 'quick' | 'whole'
  /** `network`: the chain or providers. `gateway`: the memory of a running gateway, so only `--online`. */
  readonly needs?: 'network' | 'gateway'
  /** Services that change nothing when they are created: offline the database is read-only. */
  readonly uses: U
  look(services: Resolved<U>, look: Look): Promise<LookPage>
}

export const doctorChecks = defineExtensionPoint<DoctorCheck>('doctor.checks')

export const defineDoctorCheck = <const U extends Uses>(check: DoctorCheck<U>): DoctorCheck => check

/** What identifies what a fix changes. Targets come from requests: others are refused before the fix runs. */
interface FixTarget {
  /** For the error, such as `the id of a content, as 12`. */
  readonly form: string
  readonly pattern: RegExp
}

/** The id of a row, whose number both engines of the database take. */
export const rowIdTarget = (of: string): FixTarget => ({ form: `the id of a ${of}, as 12`, pattern: /^[1-9]\d{0,14}$/ })

export const fixErrors = defineErrors({
  doctor_fix_target_invalid: { status: 400, message: 'The fix has no such target; use the target of its finding.' },
})

/** A repair without risk: it derives data from other data, or removes what is unusable. */
export interface DoctorFix<U extends Uses = Uses> {
  readonly name: string
  /** Verb first, as `Count the objects of the bucket again`. */
  readonly title: string
  readonly target: FixTarget
  readonly uses: U
  /** Tests again whether the damage exists, and repairs it. Returns whether it changed something. */
  apply(services: Resolved<U>, target: string): Promise<boolean>
}

export const doctorFixes = defineExtensionPoint<DoctorFix>('doctor.fixes')

export const defineDoctorFix = <const U extends Uses>(fix: DoctorFix<U>): DoctorFix => fix
