import { component$, useSignal } from '@builder.io/qwik'
import {
  ActionPrice,
  type ActionPriceProps,
  Card,
  Field,
  NumberStepper,
  RadioGroup,
  Select,
  TextInput,
  usePriceTerms,
  useQuery,
} from '@svc/ui-kit'
import { readWhole, type SizeUnit, sizeUnits } from './whole-number-policy.ts'

const objectsMax = 1_000_000_000
const copies = { min: 1, max: 8, usual: 2 }

/** What an upload or a bucket would cost; nothing is changed. */
export const EstimateCard = component$(() => {
  const kind = useSignal('upload')
  const buckets = useQuery('GET /buckets')
  const chosen = useSignal('')
  const objects = useSignal('1')
  const size = useSignal('100')
  const unit = useSignal('MiB')
  const newCopies = useSignal(copies.usual)
  const terms = usePriceTerms()
  const bucket = chosen.value || buckets.data?.[0]?.name
  const count = readWhole(objects.value, { min: 1, max: objectsMax })
  const factor = sizeUnits[unit.value as SizeUnit]
  const bytes = readWhole(size.value, { min: 1, max: Math.floor(Number.MAX_SAFE_INTEGER / factor) })
  const action: ActionPriceProps['action'] | undefined =
    kind.value === 'new_bucket'
      ? { kind: 'new_bucket', copies: newCopies.value }
      : bucket !== undefined && count !== undefined && bytes !== undefined
        ? { kind: 'upload', bucket, objects: count, bytes: bytes * factor }
        : undefined
  return (
    <Card title="Estimate a price" note="nothing is changed">
      <div class="grid gap-5 md:grid-cols-2">
        <div class="flex min-w-0 flex-col gap-4">
          <RadioGroup
            label="What"
            hideLabel
            value={kind}
            options={[
              {
                value: 'upload',
                label: 'An upload',
                help: 'Objects of one size into a bucket.',
                lockedReason: buckets.data?.length === 0 ? 'There is no bucket yet.' : undefined,
              },
              { value: 'new_bucket', label: 'A new bucket', help: 'From its first stored object on.' },
            ]}
          />
          {kind.value === 'upload' ? (
            <>
              <Field label="Bucket">
                <Select
                  value={bucket ?? ''}
                  options={(buckets.data ?? []).map(({ name }) => ({ value: name, label: name }))}
                  onValue$={(name) => {
                    chosen.value = name
                  }}
                />
              </Field>
              <div class="grid grid-cols-[1fr_1fr_6rem] items-start gap-3">
                <Field label="Objects" error={count === undefined ? `1 to ${objectsMax.toLocaleString('en-US')}` : undefined}>
                  <TextInput value={objects} inputMode="numeric" />
                </Field>
                <Field label="Size of each" error={bytes === undefined ? 'A whole number' : undefined}>
                  <TextInput value={size} inputMode="numeric" />
                </Field>
                <Field label="Unit">
                  <Select value={unit} options={Object.keys(sizeUnits).map((name) => ({ value: name, label: name }))} />
                </Field>
              </div>
            </>
          ) : (
            <Field label="Copies">
              <NumberStepper value={newCopies} min={copies.min} max={copies.max} />
            </Field>
          )}
        </div>
        <div class="min-w-0">{action && <ActionPrice action={action} terms={terms} />}</div>
      </div>
    </Card>
  )
})
