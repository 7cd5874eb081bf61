import { component$ } from '@builder.io/qwik'
import { Badge, formatMoney } from '@svc/ui-kit'
import { type Check, labelOf, statusWords } from './readiness-policy.ts'

/** One readiness check: what was found, and the next step. */
export const CheckRow = component$<{ check: Check }>(({ check: { id, status, message, action, required_usdfc } }) => (
  <li class="flex min-w-0 flex-wrap items-start gap-x-4 gap-y-1.5 px-4 py-3 text-sm">
    <div class="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
      <p class="font-medium">{labelOf(id)}</p>
      <p class="mt-0.5 text-muted">{message}</p>
      {action && <p class="mt-1">{action}</p>}
      {required_usdfc !== undefined && <p class="mt-1 text-muted">{`Missing deposit: ${formatMoney(required_usdfc)} USDFC`}</p>}
    </div>
    <Badge tone={statusWords[status][0]}>{statusWords[status][1]}</Badge>
  </li>
))
