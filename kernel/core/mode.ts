/** What is wrong with a setting. */
interface Blocking {
  /** The service must not start, or runs in setup mode until it is corrected. */
  readonly blocks: 'start' | 'setup'
}

/** `setup`: required settings are missing, and only the parts that help to supply them run. `full`: everything runs. */
export type Mode = 'setup' | 'full'

export type ModeDecision<P extends Blocking> =
  | { readonly mode: 'full' }
  | { readonly mode: 'setup'; readonly missing: readonly P[] }
  /** A problem that the settings page cannot fix: the service must not start. */
  | { readonly mode: 'refused'; readonly problems: readonly P[] }

export function decideMode<P extends Blocking>(problems: readonly P[]): ModeDecision<P> {
  if (problems.length === 0) return { mode: 'full' }
  const fatal = problems.filter((problem) => problem.blocks === 'start')
  return fatal.length > 0 ? { mode: 'refused', problems: fatal } : { mode: 'setup', missing: problems }
}
