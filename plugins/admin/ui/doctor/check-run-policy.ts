/** The result of a check, from its pages. Pure. */
import type { Answer } from '@svc/ui-kit'

export type Check = Answer<'GET /doctor/checks'>[number]
type CheckPage = Answer<'POST /doctor/checks/:name/run'>
export type Finding = CheckPage['findings'][number]

export interface CheckRun {
  readonly state: 'running' | 'finished' | 'failed' | 'stopped'
  readonly compared: number
  readonly findings: readonly Finding[]
  /** More is damaged than is listed. */
  readonly isCut: boolean
  readonly error?: string | undefined
}

/** Shown of one check; what is beyond appears after a repair. */
export const findingsMax = 500

export const newRun: CheckRun = { state: 'running', compared: 0, findings: [], isCut: false }

export function addPage(run: CheckRun, page: CheckPage): CheckRun {
  const all = [...run.findings, ...page.findings]
  return {
    ...run,
    compared: run.compared + page.compared,
    findings: all.slice(0, findingsMax),
    isCut: run.isCut || page.is_cut === true || all.length > findingsMax,
  }
}

/** A finding without its repair that was applied. */
export const withoutFinding = (run: CheckRun, { name, target }: NonNullable<Finding['fix']>): CheckRun => ({
  ...run,
  findings: run.findings.filter(({ fix }) => fix?.name !== name || fix.target !== target),
})

export const needsTexts: Readonly<Record<NonNullable<Check['needs']>, string>> = {
  network: 'Asks the chain and the providers',
  gateway: 'Reads through the running service',
}

export const subjectText = ({ kind, id, bucket, key }: Finding['subject']): string =>
  [`${kind} ${id}`, bucket !== undefined && `bucket ${bucket}`, key !== undefined && `key ${key}`].filter(Boolean).join(', ')
