import { component$, useSignal } from '@builder.io/qwik'
import {
  Checkbox,
  Field,
  FilterBar,
  NumberStepper,
  RadioGroup,
  SearchField,
  Select,
  Stepper,
  Switch,
  TextArea,
  TextInput,
} from '../../kit/index.ts'
import { Part, Row } from './part.tsx'

export const Fields = component$(() => {
  const name = useSignal('media-archive')
  const network = useSignal('calibration')
  const copies = useSignal(2)
  const note = useSignal('')
  return (
    <Part title="Fields">
      <Field label="Bucket name" help="3 to 63 lower case letters, digits, dots and hyphens." required>
        <TextInput value={name} name="bucket" />
      </Field>
      <Field label="RPC address" error="The address answered with another network (314159).">
        <TextInput value="https://api.example/rpc" type="url" mono />
      </Field>
      <Field label="Cache size" lockedReason="Set by SVC_CACHE_MAX_SIZE.">
        <TextInput value="100 GiB" />
      </Field>
      <Row>
        <Field label="Network">
          <Select
            value={network}
            options={[
              { value: 'calibration', label: 'Calibration' },
              { value: 'mainnet', label: 'Mainnet' },
            ]}
          />
        </Field>
        <Field label="Copies" help={`${copies.value} of 1 to 8`}>
          <NumberStepper value={copies} min={1} max={8} />
        </Field>
      </Row>
      <Field label="Note">
        <TextArea value={note} rows={2} />
      </Field>
    </Part>
  )
})

export const Choices = component$(() => {
  const on = useSignal(true)
  const agreed = useSignal(false)
  const how = useSignal('automatic')
  return (
    <Part title="Choices">
      <Switch label="Access log" help={on.value ? 'On' : 'Off'} value={on} />
      <Switch label="Private networks" lockedReason="Set by SVC_CHAIN_ALLOW_PRIVATE." value={false} />
      <Checkbox label="I understand that this may pay twice" value={agreed} />
      <Checkbox label="Off for now" value={true} disabled />
      <RadioGroup
        label="New provider"
        value={how}
        options={[
          { value: 'automatic', label: 'Automatic', help: 'Never a provider that the bucket used before.' },
          { value: 'manual', label: 'From a list', help: 'Eligible providers with their speed and health.' },
          { value: 'none', label: 'The same again', lockedReason: 'It already serves this bucket.' },
        ]}
      />
    </Part>
  )
})

export const Filters = component$(() => {
  const text = useSignal('backup')
  const status = useSignal('failed')
  const filters = useSignal([
    { id: 'status', label: 'Status: failed' },
    { id: 'type', label: 'Type: replicate' },
  ])
  return (
    <Part title="Filters and steps">
      <FilterBar
        active={filters.value}
        summary="3 of 120 tasks"
        onRemove$={(id) => {
          filters.value = filters.value.filter((filter) => filter.id !== id)
        }}
        onClear$={() => {
          filters.value = []
        }}
      >
        <SearchField label="Filter by key" value={text} shortcut />
        <span class="w-36">
          <Select
            aria-label="Status"
            value={status}
            options={[
              { value: 'all', label: 'All' },
              { value: 'failed', label: 'Failed' },
            ]}
          />
        </span>
      </FilterBar>
      <Stepper
        label="Replacement"
        steps={[
          { id: 'why', label: 'Why', help: 'Provider unreachable', state: 'done' },
          { id: 'who', label: 'Who', state: 'current' },
          { id: 'review', label: 'Review', state: 'failed' },
          { id: 'copy', label: 'Copy', state: 'waiting' },
        ]}
      />
    </Part>
  )
})
