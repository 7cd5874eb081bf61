import { $, component$, useSignal } from '@builder.io/qwik'
import {
  Ago,
  Alert,
  Badge,
  Banner,
  Button,
  Bytes,
  Copyable,
  Count,
  Crumbs,
  Empty,
  Icon,
  IconButton,
  iconNames,
  Kbd,
  KeyText,
  KeyValue,
  KeyValues,
  LinkButton,
  Money,
  Progress,
  SkeletonLines,
  Spinner,
  StatCard,
  tones,
} from '../../kit/index.ts'
import { hostileNames } from './hostile.ts'
import { Part, Row } from './part.tsx'

export const Buttons = component$(() => {
  const clicks = useSignal(0)
  const count = $(() => {
    clicks.value += 1
  })
  return (
    <Part title="Buttons">
      <Row>
        <Button variant="primary" icon="plus" onClick$={count}>
          Create bucket
        </Button>
        <Button onClick$={count}>Secondary</Button>
        <Button variant="ghost">Ghost</Button>
        <Button variant="danger" icon="trash">
          Delete
        </Button>
        <LinkButton href="#tables" icon="download">
          Link
        </LinkButton>
      </Row>
      <Row>
        <Button variant="primary" pending>
          Saving
        </Button>
        <Button disabled>Disabled</Button>
        <Button lockedReason="The bucket still has objects." icon="lock">
          Locked
        </Button>
        <Button size="sm">Small</Button>
        <IconButton icon="refresh-cw" label="Refresh" />
        <IconButton icon="refresh-cw" label="Refreshing" pending />
        <IconButton icon="settings" label="Settings" variant="secondary" size="sm" />
        <Kbd keys={['Ctrl', 'K']} />
      </Row>
      <p role="status" class="text-xs text-muted">
        Clicked {clicks.value} times
      </p>
    </Part>
  )
})

export const Badges = component$(() => (
  <Part title="Badges and figures">
    <Row>
      {tones.map((tone) => (
        <Badge key={tone} tone={tone}>
          {tone}
        </Badge>
      ))}
      <Badge tone="danger" icon="shield-alert">
        2 copies at risk
      </Badge>
    </Row>
    <Row>
      <Bytes value="1610612736" /> <Count value={18_204} /> <Ago time={Date.now() - 5 * 60_000} /> <Money amount="1940000000000000001" />
      <Money amount="12" /> <Bytes value={null} />
      <Spinner />
    </Row>
    <Row>
      <Copyable text="0x8f3a9bd1c2e4f5a60718293a4b5c6d7e8f90a1b2" label="address" />
      <Copyable text={undefined} label="nothing" />
    </Row>
  </Part>
))

export const Messages = component$(() => (
  <Part title="Messages">
    <Banner tone="warning" title="Runway ends in 6 days." onDismiss$={$(() => {})}>
      Deposit USDFC to keep the data sets.
    </Banner>
    {tones.map((tone) => (
      <Alert key={tone} tone={tone} title={`Tone ${tone}`}>
        The provider answered after 3 attempts. Nothing is left to do.
      </Alert>
    ))}
    <Alert tone="danger" title="The upload failed">
      The cache is full.
      <Button q:slot="actions" size="sm">
        Open settings
      </Button>
    </Alert>
  </Part>
))

export const Facts = component$(() => (
  <Part title="Facts and loading">
    <div class="rounded-lg border bg-panel px-4 py-1">
      <KeyValues>
        <KeyValue label="Owner">
          <Badge>internal root</Badge>
        </KeyValue>
        <KeyValue label="Copies" value="2 of 2" />
        <KeyValue label="Key">
          <KeyText text={hostileNames[0] ?? ''} wrap />
        </KeyValue>
      </KeyValues>
    </div>
    <Progress label="Upload of backup.tar" value={37} max={100} text="370.0 MiB of 1.0 GiB" />
    <Progress label="Looking for versions" text="1,204 found so far" />
    <SkeletonLines />
    <div class="rounded-lg border bg-panel">
      <Empty icon="database" title="No buckets" text="Create one here, or with any S3 client.">
        <Button variant="primary" icon="plus">
          Create bucket
        </Button>
      </Empty>
    </div>
  </Part>
))

export const Stats = component$(() => (
  <Part title="Stat cards" wide>
    <div class="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <StatCard label="Objects" value="18,204" sub="412.0 GiB in 3 buckets" icon="box" href="#stat-cards" />
      <StatCard label="Fully replicated" value="99.2%" sub="146 versions below target" subTone="warning" icon="shield-check" />
      <StatCard label="Runway" value="47 days" sub="1.94 USDFC per day" icon="wallet" />
      <StatCard label="Open tasks" value={undefined} icon="list-checks" />
    </div>
  </Part>
))

export const HostileNames = component$(() => (
  <Part title="Names from outside">
    <ul class="divide-y rounded-lg border bg-panel">
      {hostileNames.map((name) => (
        <li key={name} class="flex min-w-0 items-center gap-2 px-4 py-2 text-sm">
          <Icon name="file" />
          <span class="min-w-0 flex-1">
            <KeyText text={name} />
          </span>
          <span class="shrink-0 text-muted">
            <Bytes value={name.length} />
          </span>
        </li>
      ))}
    </ul>
    <Crumbs
      label="Folder"
      items={[{ label: 'Buckets', to: '#' }, { label: hostileNames[3] ?? '', to: '#' }, { label: hostileNames[6] ?? '' }]}
    />
  </Part>
))

export const Icons = component$(() => (
  <Part title="Icons">
    <ul class="flex flex-wrap gap-3 text-muted">
      {iconNames.map((name) => (
        <li key={name} title={name}>
          <Icon name={name} />
          <span class="sr-only">{name}</span>
        </li>
      ))}
    </ul>
  </Part>
))
