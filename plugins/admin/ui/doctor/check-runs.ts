/** Runs of checks in this browser tab. The service keeps nothing between the pages of a check. */
import { ApiError, call, Observable } from '@svc/ui-kit'
import { addPage, type CheckRun, type Finding, newRun, withoutFinding } from './check-run-policy.ts'

export const checkRuns = new Observable<Readonly<Record<string, CheckRun>>>({})

/** A guard against a check that never ends. */
const pagesMax = 100_000
/** The service ends a page after 150 s. */
const pageMs = 160_000
const stops = new Map<string, AbortController>()

const show = (name: string, run: CheckRun): void => {
  checkRuns.value = { ...checkRuns.value, [name]: run }
}

/** Runs all pages of a check. It goes on while other pages are shown. */
export async function runCheck(name: string): Promise<void> {
  if (stops.has(name)) return
  const stop = new AbortController()
  stops.set(name, stop)
  let run = newRun
  show(name, run)
  try {
    let after: string | undefined
    for (let page = 0; page < pagesMax; page += 1) {
      const answer = await call(
        'POST /doctor/checks/:name/run',
        { params: { name }, body: after === undefined ? {} : { after } },
        { signal: stop.signal, deadlineMs: pageMs },
      )
      run = addPage(run, answer)
      after = answer.next
      if (after === undefined) break
      show(name, run)
    }
    show(name, { ...run, state: 'finished' })
  } catch (error) {
    if (stop.signal.aborted) show(name, { ...run, state: 'stopped' })
    else if (error instanceof ApiError) show(name, { ...run, state: 'failed', error: error.message })
    else throw error
  } finally {
    stops.delete(name)
  }
}

export const stopCheck = (name: string): void => stops.get(name)?.abort()

/** One after the other: the service answers few checks at a time. */
export async function runChecks(names: readonly string[]): Promise<void> {
  for (const name of names) await runCheck(name)
}

export function forgetFinding(name: string, fix: NonNullable<Finding['fix']>): void {
  const run = checkRuns.value[name]
  if (run) show(name, withoutFinding(run, fix))
}
