/** The report of `svc doctor` as text, and its exit code. */
import { formatTable, onOneLine } from '#cli'
import type { CheckInfo, Finding } from '#kernel/system'
import type { CheckResult } from './run-checks.ts'

export interface AppliedFix {
  readonly fix: string
  readonly target: string
  /** `unnecessary`: the damage was gone. */
  readonly outcome: 'applied' | 'unnecessary' | 'failed'
  readonly error?: string
}

/** 0: nothing found, or all of it repaired. 1: errors. 3: only warnings. 4: not every check could run, and those that did found no error. */
export function exitCodeOf(results: readonly CheckResult[], fixes: readonly AppliedFix[] = []): 0 | 1 | 3 | 4 {
  const repaired = new Set(fixes.flatMap(({ fix, target, outcome }) => (outcome === 'failed' ? [] : `${fix} ${target}`)))
  const isRepaired = ({ fix }: Finding) => fix !== undefined && repaired.has(`${fix.name} ${fix.target}`)
  // Findings of a check beyond the listed ones are not repaired.
  const findings = results.flatMap((result) => result.findings.filter((finding) => result.isCut || !isRepaired(finding)))
  if (findings.some(({ severity }) => severity === 'error')) return 1
  if (results.some(({ state }) => state === 'unknown')) return 4
  return findings.length > 0 ? 3 : 0
}

export function renderReport(results: readonly CheckResult[], fixes: readonly AppliedFix[]): string {
  const table = formatTable(['check', 'result', 'compared', 'details'], results.map(toRow))
  const findings = results.flatMap((result) => result.findings.map(renderFinding))
  const applied = fixes.map(({ fix, target, outcome, error }) => onOneLine(`${outcome} ${fix} ${target}${error ? `: ${error}` : ''}`))
  return [table, ...findings, ...(applied.length > 0 ? [`Fixes:\n${applied.join('\n')}`] : []), summarise(results)].join('\n\n')
}

function toRow({ name, state, compared, findings, isCut, reason }: CheckResult): readonly string[] {
  const more = isCut ? ', and more: repair these and run it again' : ''
  const details = reason ?? (state === 'found' ? `${count(findings)}${more}` : '')
  return [name, state, state === 'skipped' ? '' : String(compared), details]
}

function renderFinding({ severity, invariant, subject, message, repair, fix }: Finding): string {
  const place = subject.bucket === undefined ? '' : `, ${subject.bucket}${subject.key === undefined ? '' : `/${subject.key}`}`
  const lines = [
    `${severity.toUpperCase()}  ${subject.kind} ${subject.id}${place}${invariant === undefined ? '' : ` (${invariant})`}`,
    `  ${message}`,
    `  Next step: ${repair}${fix === undefined ? '' : ` [${fix.name}]`}`,
  ]
  // Keys are untrusted text.
  return lines.map((line) => (line.startsWith('  ') ? `  ${onOneLine(line)}` : onOneLine(line))).join('\n')
}

function summarise(results: readonly CheckResult[]): string {
  const findings = results.flatMap((result) => result.findings)
  const unknown = results.filter(({ state }) => state === 'unknown').length
  const run = results.filter(({ state }) => state !== 'skipped').length
  const failed = unknown === 0 ? '' : `; ${unknown} could not run to the end`
  return `${findings.length === 0 ? 'Nothing found' : count(findings)} in ${plural(run, 'check')}${failed}.`
}

function count(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const parts = [errors > 0 && plural(errors, 'error'), findings.length > errors && plural(findings.length - errors, 'warning')]
  return parts.filter(Boolean).join(', ')
}

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

export const renderChecks = (checks: readonly CheckInfo[]): string =>
  formatTable(
    ['check', 'compares', 'proves', 'cost', 'needs'],
    checks.map(({ name, title, proves, cost, needs = '' }) => [name, title, proves.join(' '), cost, needs]),
  )
