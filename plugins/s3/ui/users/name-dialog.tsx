import { $, component$, type Signal, useId, useSignal, useTask$ } from '@builder.io/qwik'
import { Button, CancelButton, call, Dialog, ErrorAlert, Field, invalidate, TextInput, toast, useAction$ } from '@svc/ui-kit'
import { useDialog } from './use-dialog.ts'
import type { S3User } from './user-policy.ts'

interface NameProps {
  user: S3User | undefined
  dialog: Signal<string | undefined>
}

/** What an operator calls the user. */
export const NameDialog = component$<NameProps>((props) => {
  const open = useDialog(props.dialog, 'name')
  const name = useSignal('')
  const formId = useId()
  useTask$(({ track }) => {
    if (track(() => open.value)) name.value = props.user?.name ?? ''
  })
  const save = useAction$(async (accessKey: string, text: string) => {
    await call('PUT /s3-users/:accessKey/profile', { params: { accessKey }, body: { name: text === '' ? null : text } })
    invalidate(['GET /s3-users', 'GET /buckets', 'GET /buckets/:name'])
    open.value = false
    toast({ title: 'Name saved' })
  })
  const submit = $(async () => {
    if (props.user) await save.run(props.user.access_key, name.value.trim())
  })
  return (
    <Dialog open={open} title="Name this user" description={props.user?.access_key} pending={save.isPending} onClose$={save.reset}>
      <form id={formId} preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
        <Field label="Name" help="Shown to operators only. An empty field removes it.">
          <TextInput value={name} name="user-name" maxLength={100} />
        </Field>
        <ErrorAlert error={save.error} />
      </form>
      <CancelButton q:slot="footer" open={open} pending={save.isPending} />
      <Button
        q:slot="footer"
        type="submit"
        form={formId}
        variant="primary"
        changes="PUT /s3-users/:accessKey/profile"
        pending={save.isPending}
      >
        Save name
      </Button>
    </Dialog>
  )
})
