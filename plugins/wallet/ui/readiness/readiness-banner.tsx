import { $, component$, useSignal } from '@builder.io/qwik'
import { Banner, Button, useAddress, useQuery } from '@svc/ui-kit'
import { dismissCheck, dismissedChecks } from './dismissed-checks.ts'
import { ReadinessDialog } from './readiness-dialog.tsx'
import { isDismissible, readinessPollMs, worstCheck } from './readiness-policy.ts'

/** The worst readiness check, above every page; all open ones in a dialog. */
export const ReadinessBanner = component$(() => {
  const readiness = useQuery('GET /chain/readiness', undefined, { pollMs: readinessPollMs })
  const dismissed = useSignal<readonly string[]>(dismissedChecks())
  const address = useAddress()
  const open = useSignal(false)
  const checks = readiness.data?.checks ?? []
  const worst = worstCheck(checks, dismissed.value)
  // The page itself shows all of it.
  if (!worst || address.value.split('?')[0] === '/wallet/readiness') return null
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
      {open.value && <ReadinessDialog open={open} />}
    </>
  )
})
