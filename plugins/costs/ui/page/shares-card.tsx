import { component$ } from '@builder.io/qwik'
import { Card, type Column, Count, Empty, Link, Money, Select, SkeletonLines, setSearch, Table, useSearchParam } from '@svc/ui-kit'
import type { Cost } from '../runway-policy.ts'
import { readOrder, type Share, sumShares, toShares } from './shares-policy.ts'

const orders = [
  { value: 'month', label: 'By rate' },
  { value: 'locked', label: 'By locked amount' },
  { value: 'sets', label: 'By data sets' },
  { value: 'name', label: 'By name' },
]

/** Which bucket costs how much. The last line is the sum of all rows. */
export const SharesCard = component$<{ cost: Cost | undefined }>(({ cost }) => {
  const sort = useSearchParam('sort')
  const order = readOrder(sort.value)
  if (!cost) {
    return (
      <Card title="By bucket">
        <SkeletonLines lines={6} label="Loading the costs of the buckets" />
      </Card>
    )
  }
  const shares = toShares(cost, order)
  return (
    <Card title="By bucket" flush>
      {shares.length > 1 && (
        <span q:slot="actions" class="w-44">
          <Select
            aria-label="Order of the buckets"
            value={order}
            options={orders}
            onValue$={(sort) => setSearch({ sort: sort === 'month' ? null : sort }, { replace: true })}
          />
        </span>
      )}
      <Table label="Costs by bucket" columns={columns} rows={shares} rowKey={({ id }) => id} rowName={({ name }) => name}>
        <div q:slot="empty">
          <Empty icon="coins" title="Nothing is paid yet" text="A bucket costs from its first stored object on. Estimate it below." />
        </div>
      </Table>
      {shares.length > 0 && <Total shares={shares} />}
    </Card>
  )
})

const Total = ({ shares }: { shares: readonly Share[] }) => {
  const { perMonth, perDay, locked } = sumShares(shares)
  return (
    <dl
      aria-label="Sum of all rows"
      class="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 border-t bg-sunken/40 px-4 py-2.5 text-sm"
    >
      {[
        { label: 'Each month', amount: perMonth, isPrice: true },
        { label: 'Each day', amount: perDay, isPrice: true },
        { label: 'Locked', amount: locked, isPrice: false },
      ].map(({ label, amount, isPrice }) => (
        <div key={label} class="flex items-baseline gap-2">
          <dt class="text-xs text-muted">{label}</dt>
          <dd class="font-semibold">
            <Money value={amount} price={isPrice} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const columns: readonly Column<Share>[] = [
  {
    id: 'name',
    label: 'Bucket',
    grow: true,
    title: true,
    cell: ({ name, help }) =>
      help === undefined ? (
        <Link to="/buckets/:name" params={{ name }} query={{ tab: 'cost' }} class="hover:underline">
          <bdi>{name}</bdi>
        </Link>
      ) : (
        <span title={help} class="text-muted">
          {name}
        </span>
      ),
  },
  {
    id: 'sets',
    label: 'Data sets',
    align: 'end',
    cell: ({ dataSets }) => (dataSets === undefined ? null : <Count value={dataSets} />),
  },
  { id: 'day', label: 'Each day', align: 'end', cell: ({ perDay }) => <Money value={perDay} price /> },
  { id: 'month', label: 'Each month', align: 'end', cell: ({ perMonth }) => <Money value={perMonth} price /> },
  { id: 'locked', label: 'Locked', align: 'end', cell: ({ locked }) => <Money value={locked} /> },
]
