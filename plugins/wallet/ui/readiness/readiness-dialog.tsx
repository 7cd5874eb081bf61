import { $, component$, type Signal } from '@builder.io/qwik'
import { Button, Dialog, go, useAction$, useQuery } from '@svc/ui-kit'
import { CheckRow } from './check-row.tsx'
import { readinessPollMs } from './readiness-policy.ts'

/** All checks that did not pass. */
export const ReadinessDialog = component$<{ open: Signal<boolean> }>((props) => {
  const readiness = useQuery('GET /chain/readiness', undefined, { pollMs: readinessPollMs })
  const again = useAction$(async () => readiness.refresh())
  const open = (readiness.data?.checks ?? []).filter(({ status }) => status !== 'ready')
  return (
    <Dialog open={props.open} title="Readiness" description="Checks that did not pass, with the next step.">
      <ul class="divide-y rounded-md border empty:hidden">
        {open.map((check) => (
          <CheckRow key={check.id} check={check} />
        ))}
      </ul>
      <Button q:slot="footer" icon="refresh-cw" pending={again.isPending} pendingLabel="Checking" onClick$={() => again.run()}>
        Check again
      </Button>
      <Button
        q:slot="footer"
        onClick$={$(() => {
          props.open.value = false
          go('/wallet/readiness')
        })}
      >
        All checks
      </Button>
    </Dialog>
  )
})
