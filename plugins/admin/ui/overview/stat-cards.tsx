import { component$ } from '@builder.io/qwik'
import { type Answer, formatBytes, formatCount, formatExactCount, formatMoney, formatPlural, StatCard, type Tone } from '@svc/ui-kit'
import { describeRunway, type Runway } from './describe-runway.ts'
import { describeUnstored } from './describe-unstored.ts'

type Overview = Answer<'GET /overview'>

/** The first figures; grey blocks until they are known. Those of a disabled plugin are left out. */
export const StatCards = component$<{ overview: Overview | undefined }>(({ overview }) => (
  <div class="grid grid-cols-2 gap-3 sm:gap-4 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
    {overview ? <Figures overview={overview} /> : names.map((label) => <StatCard key={label} label={label} value={undefined} />)}
  </div>
))

const names = ['Below target', 'The deposit lasts', 'Throughput', 'Objects', 'Open tasks'] as const

const Figures = ({ overview }: { overview: Overview }) => {
  const { buckets, objects, tasks, cost, traffic } = overview
  const failed = tasks.attention.failed
  return (
    <>
      {objects.below_target && <BelowTarget objects={objects} below={objects.below_target} />}
      {cost && <RunwayCard cost={cost} />}
      {traffic && <Traffic traffic={traffic} />}
      <StatCard
        label="Objects"
        icon="boxes"
        href="/buckets"
        value={formatCount(objects.total)}
        exact={formatExactCount(objects.total)}
        sub={`${formatBytes(objects.total_size_bytes)} in ${formatPlural(buckets.total, 'bucket')}`}
      />
      <StatCard
        label="Open tasks"
        icon="list-checks"
        href="/tasks"
        value={formatCount(tasks.by_status.pending + tasks.by_status.running)}
        sub={failed > 0 ? `${formatCount(failed)} failed` : 'None failed'}
        subTone={failed > 0 ? 'danger' : undefined}
      />
    </>
  )
}

const BelowTarget = ({ objects, below }: { objects: Overview['objects']; below: NonNullable<Overview['objects']['below_target']> }) => {
  const count = below.stuck + below.waiting + below.working
  return (
    <StatCard
      label="Below target"
      icon="shield-check"
      href="/below-target"
      value={formatCount(count)}
      exact={`${formatExactCount(count)} of ${formatExactCount(objects.total)} objects have too few copies`}
      sub={describeUnstored(objects)}
      subTone={below.stuck > 0 ? 'danger' : below.waiting > 0 ? 'warning' : undefined}
    />
  )
}

const runwayTones: Readonly<Record<Runway['level'], Tone | undefined>> = {
  ok: undefined,
  warning: 'warning',
  serious: 'danger',
  empty: 'danger',
  unknown: undefined,
}

const RunwayCard = ({ cost: { runway, rate } }: { cost: NonNullable<Overview['cost']> }) => (
  <StatCard
    label="The deposit lasts"
    icon="wallet"
    href="/costs"
    value={describeRunway(runway)}
    sub={rate ? `${formatMoney(rate.per_day, { up: true })} USDFC each day` : 'The account was not read yet'}
    subTone={runwayTones[runway.level]}
  />
)

const Traffic = ({ traffic }: { traffic: NonNullable<Overview['traffic']> }) => {
  const { received_bytes_per_second: received, sent_bytes_per_second: sent } = traffic
  return (
    <StatCard
      label="Throughput"
      icon="activity"
      value={received === null || sent === null ? 'Not measured yet' : `${formatBytes(received + sent)}/s`}
      sub={
        received === null || sent === null ? 'Within a minute of the start' : `${formatBytes(received)}/s in, ${formatBytes(sent)}/s out`
      }
    />
  )
}
