import { $, component$, useSignal } from '@builder.io/qwik'
import { Banner, Button, Dialog, Link, useAddress, useQuery } from '@svc/ui-kit'
import { CheckRow } from './check-row.tsx'
import { dismissCheck, dismissedChecks } from './dismissed-checks.ts'
import { isDismissible, worstCheck } from './readiness-policy.ts'

const pollMs = 60_000

/** The worst readiness check, above every page; all open ones in a dialog. */
export const ReadinessBanner = component$(() => {
  const readiness = useQuery('GET /chain/readiness', undefined, { pollMs })
  const dismissed = useSignal<readonly string[]>(dismissedChecks())
  const address = useAddress()
  const open = useSignal(false)
  const checks = readiness.data?.checks ?? []
  const worst = worstCheck(checks, dismissed.value)
  // The page itself shows all of it.
  if (!worst || address.value.split('?')[0] === '/wallet') return null
  const others = checks.filter(({ status }) => status !== 'ready').length - 1
  return (
    <>
      <Banner
        tone={worst.status === 'blocked' ? 'danger' : worst.status === 'warning' ? 'warning' : 'neutral'}
        title={worst.message}
        onDismiss$={
          isDismissible(worst)
            ? $(() => {
                dismissed.value = dismissCheck(worst.id)
              })
            : undefined
        }
      >
        {worst.action}
        {others > 0 && <span class="text-muted">{` And ${others} more.`}</span>}
        <Button
          q:slot="actions"
          size="sm"
          onClick$={() => {
            open.value = true
          }}
        >
          Details
        </Button>
      </Banner>
      <Dialog open={open} title="Readiness" description="Checks that did not pass, with the next step.">
        <ul class="divide-y rounded-md border">
          {checks
            .filter(({ status }) => status !== 'ready')
            .map((check) => (
              <CheckRow key={check.id} check={check} />
            ))}
        </ul>
        <Button q:slot="footer" icon="refresh-cw" pending={readiness.isFetching} onClick$={readiness.refresh}>
          Check again
        </Button>
        <Link q:slot="footer" to="/wallet" class="inline-flex h-9 items-center rounded-md px-3.5 text-sm text-accent hover:underline">
          All checks
        </Link>
      </Dialog>
    </>
  )
})
