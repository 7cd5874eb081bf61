import { $, component$, type Signal, useId, useSignal, useTask$ } from '@builder.io/qwik'
import { Button, CancelButton, call, Dialog, ErrorAlert, Field, invalidate, TextInput, toast, useAction$ } from '@svc/ui-kit'
import { limitFields, readLimits, writeLimits } from './limits-policy.ts'
import { useDialog } from './use-dialog.ts'
import type { S3User } from './user-policy.ts'

interface LimitsProps {
  user: S3User | undefined
  dialog: Signal<string | undefined>
}

const route = 'PUT /s3-users/:accessKey/limits'

/** What the buckets of the user may hold, and how many it may create. */
export const LimitsDialog = component$<LimitsProps>((props) => {
  const open = useDialog(props.dialog, 'limits')
  const texts = { buckets: useSignal(''), objects: useSignal(''), bytes: useSignal(''), data_sets_per_day: useSignal('') }
  const hasProblem = useSignal(false)
  const formId = useId()
  useTask$(({ track }) => {
    if (!track(() => open.value) || !props.user) return
    hasProblem.value = false
    const written = writeLimits(props.user)
    for (const { name } of limitFields) texts[name].value = written[name]
  })
  const save = useAction$(async (accessKey: string) => {
    const { buckets, objects, bytes, data_sets_per_day: dataSets } = texts
    const body = readLimits({ buckets: buckets.value, objects: objects.value, bytes: bytes.value, data_sets_per_day: dataSets.value })
    hasProblem.value = body === undefined
    if (!body) return
    await call(route, { params: { accessKey }, body })
    invalidate(['GET /s3-users'])
    open.value = false
    toast({ title: 'Limits saved' })
  })
  const submit = $(async () => {
    if (props.user) await save.run(props.user.access_key)
  })
  return (
    <Dialog
      open={open}
      title="Limits of this user"
      description="All object versions in its buckets count, also those that other users stored. Empty: as in the settings. none: no limit."
      pending={save.isPending}
      onClose$={save.reset}
    >
      <form id={formId} preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
        {limitFields.map(({ name, label }) => (
          <Field key={name} label={label}>
            <TextInput value={texts[name]} name={`limit-${name}`} />
          </Field>
        ))}
        <ErrorAlert error={hasProblem.value ? { message: 'Each limit must be a number above 0, none, or empty.' } : save.error} />
      </form>
      <CancelButton q:slot="footer" open={open} pending={save.isPending} />
      <Button q:slot="footer" type="submit" form={formId} variant="primary" changes={route} pending={save.isPending}>
        Save limits
      </Button>
    </Dialog>
  )
})
