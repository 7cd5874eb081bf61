import { component$, type QRL, Slot } from '@builder.io/qwik'
import { Button, type IconName } from '@svc/ui-kit'

interface BulkButtonProps {
  icon: IconName
  danger?: boolean | undefined
  onClick$: QRL<() => void>
}

/** Asks for a bulk action on the selected rows; not shown to a role that may not start one. Slot: the label. */
export const BulkButton = component$<BulkButtonProps>((props) => (
  <Button
    size="sm"
    variant={props.danger ? 'danger' : undefined}
    icon={props.icon}
    changes="POST /buckets/:name/bulk-actions"
    orHidden
    onClick$={props.onClick$}
  >
    <Slot />
  </Button>
))
