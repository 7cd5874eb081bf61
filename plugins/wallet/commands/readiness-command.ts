import { type AdminCall, formatFacts, formatTable, openAdminClient } from '#cli'
import { chainReadiness, type Readiness } from '../readiness/readiness-api.ts'

/** The service waits up to 20 s for the chain, longer than the default of --timeout. */
const answerMsMin = 25_000

/** Exit code 1 when a check is blocked or has no answer. */
export async function run(call: AdminCall): Promise<number> {
  const timeout = Math.max(call.flags.timeout, answerMsMin)
  const client = await openAdminClient({ ...call, flags: { ...call.flags, timeout } })
  const readiness = await client.call(chainReadiness)
  call.out.result(readiness, readinessText(readiness))
  return readiness.status === 'ready' || readiness.status === 'warning' ? 0 : 1
}

function readinessText({ status, checked_at, checks, partial_errors = {} }: Readiness): string {
  const rows = checks.map((check) => [check.id, check.status, check.message])
  const steps = checks.flatMap(({ id, action }) => (action === undefined ? [] : [`  ${id}: ${action}`]))
  const failures = Object.entries(partial_errors).map(([question, reason]) => `  ${question}: ${reason}`)
  return [
    formatFacts([
      ['Status', status],
      ['Checked', checked_at],
    ]),
    '',
    formatTable(['check', 'status', 'message'], rows),
    ...(steps.length === 0 ? [] : ['', 'Next steps', ...steps]),
    ...(failures.length === 0 ? [] : ['', 'Reads without an answer', ...failures]),
  ].join('\n')
}
