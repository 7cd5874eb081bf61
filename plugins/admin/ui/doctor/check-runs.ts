/** Runs of checks in this browser tab. The service keeps nothing between the pages of a check. */
import { ApiError, call, Observable, onSignOut } from '@svc/ui-kit'
import { addPage, type CheckRun, type Finding, newRun, withoutFinding } from './check-run-policy.ts'

export const checkRuns = new Observable<Readonly<Record<string, CheckRun>>>({})

/** A guard against a check that never ends. */
const pagesMax = 100_000
/** The service ends a page after 150 s. */
const pageMs = 160_000
const stops = new Map<string, AbortController>()
/** Changes with each sign-out. */
const session = { number: 0 }

const showRun = (name: string, run: CheckRun): void => {
  checkRuns.value = { ...checkRuns.value, [name]: run }
}

/** Runs all pages of a check. It goes on while other pages are shown. */
export async function runCheck(name: string): Promise<void> {
  if (stops.has(name)) return
  const stop = new AbortController()
  stops.set(name, stop)
  let run = newRun
  const show = (next: CheckRun) => {
    // A sign-out removed the run: its results are not shown to the next operator.
    if (stops.get(name) === stop) showRun(name, next)
  }
  show(run)
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
      show(run)
    }
    show({ ...run, state: 'finished' })
  } catch (error) {
    if (stop.signal.aborted) show({ ...run, state: 'stopped' })
    else if (error instanceof ApiError) show({ ...run, state: 'failed', error: error.message })
    else throw error
  } finally {
    if (stops.get(name) === stop) stops.delete(name)
  }
}

export const stopCheck = (name: string): void => stops.get(name)?.abort()

/** One after the other: the service answers few checks at a time. */
export async function runChecks(names: readonly string[]): Promise<void> {
  const own = session.number
  for (const name of names) if (session.number === own) await runCheck(name)
}

onSignOut(() => {
  session.number += 1
  const running = [...stops.values()]
  stops.clear()
  for (const stop of running) stop.abort()
  checkRuns.value = {}
})

export function forgetFinding(name: string, fix: NonNullable<Finding['fix']>): void {
  const run = checkRuns.value[name]
  if (run) showRun(name, withoutFinding(run, fix))
}
