import { component$ } from '@builder.io/qwik'
import { ReviewTable } from '@svc/ui-kit'
import { type Account, runwayAfter, runwayText } from '../account/runway-policy.ts'

interface RunwayChangeProps {
  account: Account
  /** Base units, as digits. */
  change: string
}

/** How long the deposit lasts now and after the payment, without the plugin that knows prices. */
export const RunwayChange = component$<RunwayChangeProps>(({ account, change }) => (
  <ReviewTable
    rows={[{ label: 'Deposit lasts', from: runwayText(runwayAfter(account, 0n)), to: runwayText(runwayAfter(account, BigInt(change))) }]}
  />
))
