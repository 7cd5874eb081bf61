import { component$, useSignal } from '@builder.io/qwik'
import { type Answer, Button, Confirm, call, Field, invalidate, NumberStepper, RadioGroup, toast, useAction$ } from '@svc/ui-kit'
import { daysMax, eraseText, packingTexts } from './pack-words-policy.ts'

type Packing = keyof typeof packingTexts

/** Asks which new objects of the bucket are packed, and when the bytes of deleted ones are erased. */
export const ChangePacking = component$<{ packs: Answer<'GET /packs'>['buckets'][number] }>((props) => {
  const isAsking = useSignal(false)
  const packing = useSignal<string>(props.packs.packing)
  const days = useSignal(props.packs.erase_within_days)
  const save = useAction$((bucket: string, chosen: Packing, eraseWithinDays: number) =>
    call('PUT /packs/policy', { body: { bucket, packing: chosen, erase_within_days: eraseWithinDays } }),
  )
  const { bucket, packing: from, erase_within_days: fromDays } = props.packs
  const chosen: Packing = packing.value === 'small' ? 'small' : 'off'
  const isSame = chosen === from && days.value === fromDays
  return (
    <>
      <Button
        size="sm"
        icon="settings"
        changes="PUT /packs/policy"
        onClick$={async () => {
          packing.value = props.packs.packing
          days.value = props.packs.erase_within_days
          await save.reset()
          isAsking.value = true
        }}
      >
        Change packing
      </Button>
      <Confirm
        open={isAsking}
        level="review"
        changes="PUT /packs/policy"
        title={`Change the packing of ${bucket}`}
        description="It applies to new objects. Stored objects stay as they are."
        confirmLabel="Save packing"
        pending={save.isPending}
        error={save.error?.message}
        lockedReason={isSame ? 'Change something first.' : undefined}
        rows={[
          { label: 'Packing of new objects', from: packingTexts[from].label, to: packingTexts[chosen].label },
          { label: 'Deleted bytes are erased', from: eraseText(fromDays), to: eraseText(days.value) },
        ]}
        onConfirm$={async () => {
          const { bucket: name } = props.packs
          if (!(await save.run(name, packing.value === 'small' ? 'small' : 'off', days.value))) return
          isAsking.value = false
          invalidate(['GET /packs', 'GET /buckets/:name'])
          toast({ title: `Packing of ${name} saved` })
        }}
      >
        <RadioGroup
          label="Packing of new objects"
          value={packing}
          options={Object.entries(packingTexts).map(([value, text]) => ({ value, ...text }))}
        />
        <Field label="Days until deleted bytes are erased" help="0: when the saving pays for it. A number of days costs fees.">
          <NumberStepper value={days} min={0} max={daysMax} />
        </Field>
      </Confirm>
    </>
  )
})
