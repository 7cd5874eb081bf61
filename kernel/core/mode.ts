import type { ConfigProblem } from '../config/load.ts'

/** `setup`: required settings are missing, and only the parts that help to supply them run. `full`: everything runs. */
export type Mode = 'setup' | 'full'

export type ModeDecision =
  | { readonly mode: 'full' }
  | { readonly mode: 'setup'; readonly missing: readonly ConfigProblem[] }
  /** A problem that the settings page cannot fix: the service must not start. */
  | { readonly mode: 'refused'; readonly problems: readonly ConfigProblem[] }

export function decideMode(problems: readonly ConfigProblem[]): ModeDecision {
  if (problems.length === 0) return { mode: 'full' }
  const fatal = problems.filter((problem) => problem.blocks === 'start')
  return fatal.length > 0 ? { mode: 'refused', problems: fatal } : { mode: 'setup', missing: problems }
}
