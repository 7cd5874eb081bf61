import { type CommandCall, CommandError } from '#kernel'
import type { CheckInfo, Finding } from '#kernel/system'
import type { DoctorSource } from './doctor-source.ts'

/** Findings kept for each check; further ones are counted. */
const findingsKeptMax = 1000
/** Stops a check whose pages do not end. */
const pagesMax = 10_000_000

/** The result of one check. */
export interface CheckResult {
  readonly name: string
  readonly title: string
  /** `unknown`: it could not run to its end. `skipped`: it was not wanted, or cannot run here. */
  readonly state: 'ok' | 'found' | 'unknown' | 'skipped'
  readonly compared: number
  readonly findings: readonly Finding[]
  /** Findings that were not kept, or that the check did not list. */
  readonly isCut: boolean
  /** Why it is unknown or skipped. */
  readonly reason?: string
}

interface RunOptions {
  /** Is undefined when everything is compared. */
  readonly sample: number | undefined
  readonly isLocal: boolean
}

/** Runs the checks one after the other. A check that fails does not stop the others. */
export async function runChecks(
  source: DoctorSource,
  checks: readonly CheckInfo[],
  options: RunOptions,
  progress: CommandCall['out']['progress'],
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for (const [index, check] of checks.entries()) {
    const place = `[${index + 1}/${checks.length}] ${check.name}`
    progress?.(place)
    results.push(await runOne(source, check, options, (compared) => progress?.(`${place}: ${compared} compared`)))
  }
  progress?.('')
  return results
}

async function runOne(
  source: DoctorSource,
  check: CheckInfo,
  options: RunOptions,
  onPage: (compared: number) => void,
): Promise<CheckResult> {
  const { name, title } = check
  const findings: Finding[] = []
  let compared = 0
  let isCut = false
  const result = (state: CheckResult['state'], reason?: string) => ({
    name,
    title,
    state,
    compared,
    findings,
    isCut,
    ...(reason !== undefined && { reason }),
  })
  const skip = reasonToSkip(source, check, options.isLocal)
  if (skip !== undefined) return result('skipped', skip)
  let after: string | undefined
  try {
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await source.look(name, { after, sample: options.sample })
      findings.push(...page.findings.slice(0, findingsKeptMax - findings.length))
      isCut ||= page.isCut === true || findings.length === findingsKeptMax
      compared += page.compared
      onPage(compared)
      after = page.next
      if (after === undefined) return result(findings.length === 0 ? 'ok' : 'found')
    }
    return result('unknown', `it did not end within ${pagesMax} pages`)
  } catch (error) {
    // A refusal of the Admin API is a result too: the other checks may succeed.
    if (error instanceof CommandError && error.exitCode === 2) throw error
    return result('unknown', (error as Error).message)
  }
}

export const onlyOnline = 'only with --online'

export function reasonToSkip(
  { isOnline }: Pick<DoctorSource, 'isOnline'>,
  { needs }: Pick<CheckInfo, 'needs'>,
  isLocal: boolean,
): string | undefined {
  if (needs === 'gateway' && !isOnline) return onlyOnline
  return needs === 'network' && isLocal ? '--local' : undefined
}
