import { type Answer, formatMoney, formatPlural } from '@svc/ui-kit'

type Bucket = Pick<Answer<'GET /buckets/:name'>, 'data_sets' | 'public_access'>
type Cost = Pick<Answer<'GET /buckets/:name/cost'>, 'rate' | 'locked'>

/** What ends with a bucket, beside its objects, and what that costs. */
export function endsOf(
  { data_sets, public_access }: Bucket,
  cost: Cost | undefined,
): readonly { readonly label: string; readonly to: string }[] {
  const live = data_sets.filter(({ status }) => status !== 'retired' && status !== 'failed')
  const { rate, locked } = cost ?? {}
  return [
    { label: 'Storage services that end', to: live.length === 0 ? 'None' : formatPlural(live.length, 'data set') },
    ...(rate ? [{ label: 'Cost that ends', to: `${formatMoney(rate.per_day)} USDFC each day` }] : []),
    ...(locked
      ? [{ label: 'Locked until they have ended', to: `${formatMoney(BigInt(locked.reserve) + BigInt(locked.advance))} USDFC` }]
      : []),
    ...(public_access.length > 0 ? [{ label: 'Public access', to: 'Ends' }] : []),
  ]
}
