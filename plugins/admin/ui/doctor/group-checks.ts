/** The checks as one list, by what they look at. Pure. */
import { formatPlural } from '@svc/ui-kit'
import type { Check, CheckRun } from './check-run-policy.ts'

type Runs = Readonly<Record<string, CheckRun | undefined>>

/** Names of groups by the first part of the names of their checks. */
export const groupWords: Readonly<Record<string, string>> = {
  kernel: 'Configuration and database',
  storage: 'Objects and the cache',
  replication: 'Copies at providers',
  wallet: 'Wallet and payments',
  packs: 'Packs of small objects',
  s3: 'S3 users and access',
  providers: 'Storage providers',
  observability: 'Health of data sets',
  replacement: 'Replacements of providers',
}

const groupOf = ({ name }: Check): string => name.split('.')[0] ?? name

const rank = (run: CheckRun | undefined): number =>
  run === undefined ? 2 : run.state === 'failed' || run.findings.length > 0 ? 0 : run.state === 'running' ? 1 : 3

/** Groups with findings come first, and in each group the checks with findings. */
export function groupChecks(
  checks: readonly Check[],
  runs: Runs,
): readonly { readonly group: string; readonly checks: readonly Check[] }[] {
  const rankOf = ({ name }: Check) => rank(runs[name])
  // A check that runs does not move while it is read.
  const byResult = (a: Check, b: Check) => Math.min(rankOf(a), 1) - Math.min(rankOf(b), 1)
  const worst = (group: readonly Check[]) => Math.min(1, ...group.map(rankOf))
  return [...Map.groupBy(checks, groupOf)]
    .map(([group, found]) => ({ group, checks: found.toSorted(byResult) }))
    .sort((a, b) => worst(a.checks) - worst(b.checks))
}

/** `25 of 27 checks in order, 2 with findings` */
export function summariseRuns(checks: readonly Check[], runs: Runs): string {
  const known = checks.flatMap(({ name }) => runs[name] ?? [])
  if (known.length === 0) return `${formatPlural(checks.length, 'check')}, none run in this tab.`
  const count = (is: (run: CheckRun) => boolean) => known.filter(is).length
  const parts = [
    `${count(({ state, findings }) => state === 'finished' && findings.length === 0)} of ${formatPlural(checks.length, 'check')} in order`,
    ...some(
      count(({ findings }) => findings.length > 0),
      'with findings',
    ),
    ...some(
      count(({ state }) => state === 'failed'),
      'could not be finished',
    ),
    ...some(
      count(({ state }) => state === 'running'),
      'running',
    ),
    ...some(checks.length - known.length, 'not run'),
  ]
  return `${parts.join(', ')}.`
}

const some = (count: number, what: string): readonly string[] => (count > 0 ? [`${count} ${what}`] : [])
