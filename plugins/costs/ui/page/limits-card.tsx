import { component$ } from '@builder.io/qwik'
import { Badge, Card, formatExactTime, formatPercent, Link, Money, Segments, SkeletonLines } from '@svc/ui-kit'
import type { Cost } from '../runway-policy.ts'

/** The spend limits, with what counts against them today and this month. */
export const LimitsCard = component$<{ cost: Cost | undefined }>(({ cost }) => (
  <Card title="Spend limits">
    <Link q:slot="actions" to="/settings" query={{ q: 'spend_limit' }} class="text-accent hover:underline">
      Change
    </Link>
    {cost ? (
      <div class="flex flex-col gap-5">
        <Limit name="Today" limit={cost.limits.daily} />
        <Limit name="This month" limit={cost.limits.monthly} />
        <p class="text-xs text-muted">
          Fees of the period, and storage for the whole of it at the present rate. New paid work waits at a limit; removals never do.
        </p>
      </div>
    ) : (
      <SkeletonLines lines={5} label="Loading the spend limits" />
    )}
  </Card>
))

const Limit = ({
  name,
  limit: { limit, used, fees, storage, resets_at, is_reached },
}: {
  name: string
  limit: Cost['limits']['daily']
}) => (
  <section aria-label={name}>
    <div class="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
      <h3 class="font-medium">{name}</h3>
      {is_reached ? (
        <Badge tone="danger">Reached</Badge>
      ) : (
        <span class="text-xs text-muted">{limit === null ? 'No limit' : `${formatPercent(used, limit)} used`}</span>
      )}
    </div>
    {limit !== null && (
      <Segments
        parts={[
          { value: storage ?? '0', fill: 'fill-c1' },
          { value: fees, fill: 'fill-c2' },
        ]}
        total={limit}
      />
    )}
    <p class="mt-1.5 text-sm">
      {used === null ? 'Not known' : <Money value={used} price />}
      {limit !== null && (
        <>
          {' of '}
          <Money value={limit} />
        </>
      )}
    </p>
    <p class="text-xs text-muted">
      {storage !== null && (
        <>
          Storage <Money value={storage} price />,{' '}
        </>
      )}
      fees <Money value={fees} price /> until{' '}
      <span title={formatExactTime(resets_at)} class="whitespace-nowrap">
        {resets_at.slice(0, 10)}
      </span>
    </p>
  </section>
)
