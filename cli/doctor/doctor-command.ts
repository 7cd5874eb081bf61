import { CommandError } from '#kernel'
import type { CheckInfo } from '#kernel/system'
import { usageError } from '../usage.ts'
import { type DoctorSource, openSource, type SourceCall } from './doctor-source.ts'
import { type AppliedFix, exitCodeOf, renderChecks, renderReport } from './report-policy.ts'
import { type CheckResult, onlyOnline, reasonToSkip, runChecks } from './run-checks.ts'

interface DoctorFlags {
  readonly list: boolean
  readonly only: readonly string[]
  readonly sample: number
  readonly whole: boolean
  readonly local: boolean
  readonly fix: boolean
  readonly yes: boolean
}

type DoctorCall = SourceCall<DoctorFlags>

/** Exit code: 0 nothing found or all of it repaired, 1 errors, 2 usage error, 3 only warnings, 4 not every check could run. */
export async function run(call: DoctorCall): Promise<number> {
  const { flags, out } = call
  if (flags.fix && !flags.yes && out.progress === undefined) throw usageError('without a terminal --fix must be confirmed with --yes')
  const options = { sample: flags.whole ? undefined : flags.sample, isLocal: flags.local }
  const { results, checks } = await inspect(call, async (source) => {
    const wanted = wordsOf(flags.only)
    const checks = choose(await source.checks(), wanted)
    if (!flags.list) requireRunnable(source, checks, { wanted, ...options })
    return { checks, results: flags.list ? [] : await runChecks(source, checks, options, out.progress) }
  })
  if (flags.list) {
    out.result(checks, renderChecks(checks))
    return 0
  }
  const fixes = flags.fix ? await applyFixes(call, results) : []
  out.result({ checks: results, fixes }, renderReport(results, fixes))
  return exitCodeOf(results, fixes)
}

async function inspect<T>(call: DoctorCall, work: (source: DoctorSource) => Promise<T>): Promise<T> {
  await using source = await openSource(call, { isFixing: false })
  return await work(source)
}

const wordsOf = (only: readonly string[]): readonly string[] => only.flatMap((names) => names.split(',')).filter((name) => name !== '')

const matches = ({ name }: CheckInfo, choice: string): boolean => name === choice || name.startsWith(`${choice}.`)

/** The wanted checks, or those of the wanted plugins. */
function choose(checks: readonly CheckInfo[], wanted: readonly string[]): readonly CheckInfo[] {
  if (wanted.length === 0) return checks
  const unknown = wanted.filter((choice) => !checks.some((check) => matches(check, choice)))
  if (unknown.length > 0) throw usageError(`there is no check ${unknown.join(', ')}; svc doctor --list shows the names`)
  return checks.filter((check) => wanted.some((choice) => matches(check, choice)))
}

interface Wanted {
  readonly wanted: readonly string[]
  readonly isLocal: boolean
}

/** Refuses a choice of checks none of which can run here: with exit code 0 it would look sound. */
function requireRunnable(source: DoctorSource, checks: readonly CheckInfo[], { wanted, isLocal }: Wanted): void {
  const refused = wanted.flatMap((choice) => {
    const reasons = checks.filter((check) => matches(check, choice)).map((check) => reasonToSkip(source, check, isLocal))
    const [first] = reasons
    if (first === undefined || reasons.includes(undefined)) return []
    return first === onlyOnline
      ? `${choice} needs the running gateway: run svc doctor --online --only ${choice}`
      : `${choice} asks the chain or providers: run svc doctor --only ${choice} without --local`
  })
  if (refused.length > 0) throw new CommandError(refused.join('; '), { exitCode: 4 })
}

async function applyFixes(call: DoctorCall, results: readonly CheckResult[]): Promise<readonly AppliedFix[]> {
  const named = results.flatMap(({ findings }) => findings.flatMap(({ fix }) => fix ?? []))
  const fixes = [...new Map(named.map((fix) => [`${fix.name} ${fix.target}`, fix])).values()]
  if (fixes.length === 0 || !(await isConfirmed(call, fixes.length, results))) return []
  // Offline it opens the database for writing, after the checks closed it.
  await using source = await openSource(call, { isFixing: true })
  const applied: AppliedFix[] = []
  for (const { name, target } of fixes) applied.push(await applyOne(source, name, target))
  return applied
}

async function applyOne(source: DoctorSource, fix: string, target: string): Promise<AppliedFix> {
  try {
    return { fix, target, outcome: (await source.fix(fix, target)) ? 'applied' : 'unnecessary' }
  } catch (error) {
    // The others may succeed.
    return { fix, target, outcome: 'failed', error: (error as Error).message }
  }
}

async function isConfirmed({ flags, out }: DoctorCall, fixes: number, results: readonly CheckResult[]): Promise<boolean> {
  if (flags.yes) return true
  out.note(renderReport(results, []))
  const answer = out.askSecret?.(`Apply ${fixes === 1 ? '1 fix' : `${fixes} fixes`}? Type yes (not shown): `)
  if (answer === undefined) throw new CommandError('--fix must be confirmed with --yes', { exitCode: 2 })
  return (await answer).trim().toLowerCase() === 'yes'
}
