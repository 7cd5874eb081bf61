import { component$, type QRL } from '@builder.io/qwik'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

interface ErrorAlertProps {
  /** Error of a query or an action; nothing is shown without one. */
  error: { readonly message: string } | undefined
  title?: string | undefined
  /** Adds the button `Try again`. */
  onRetry$?: QRL<() => unknown> | undefined
  class?: string | undefined
}

/** A failed request, announced at once. */
export const ErrorAlert = component$<ErrorAlertProps>(({ error, title, onRetry$, class: extra }) =>
  error ? (
    <div class={extra}>
      <Alert tone="danger" title={title} live>
        {error.message}
        {onRetry$ && (
          <Button q:slot="actions" size="sm" icon="refresh-cw" onClick$={onRetry$}>
            Try again
          </Button>
        )}
      </Alert>
    </div>
  ) : null,
)
